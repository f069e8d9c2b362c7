package dev.colonnade.cli.local.convert;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConf.IgnoredElement;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.config.StorageConfWriter;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a {@code cassandra.yaml} of Cassandra 0.7 or 0.8. Its settings are those of the elements of
 * 0.6 under other names, so they are written as elements, each in the line that it has in the file,
 * and read as a {@code storage-conf.xml}: bounds, refusals and lines are the same.
 */
public final class CassandraYaml {

  private static final String GRPC = "clients speak gRPC, which has bounds of its own";
  private static final String FLUSHES =
      "memtables are flushed when they are full, within memtable_total_bytes";
  private static final String HEAP =
      "memory is bounded by memtable_total_bytes and the sizes of the caches";
  private static final String CHOICE = "the node chooses the replicas of a read itself";
  private static final String SCHEDULER = "there is no scheduler of requests";
  private static final String CONSTANT = "rows of any length are merged in constant memory";

  private static final Map<String, String> IGNORED =
      Map.ofEntries(
          Map.entry("hinted_handoff_throttle_delay_in_ms", "the receiver sets the pace of hints"),
          Map.entry("max_hint_window_in_ms", "hints are kept within gc_grace of their family"),
          Map.entry("memtable_flush_writers", FLUSHES),
          Map.entry("memtable_flush_queue_size", FLUSHES),
          Map.entry("concurrent_compactors", "compactions share a rate, not threads"),
          Map.entry("compaction_thread_priority", "compactions have a rate instead"),
          Map.entry("in_memory_compaction_limit_in_mb", CONSTANT),
          Map.entry("compaction_preheat_key_cache", "the key cache fills by itself"),
          Map.entry("rpc_keepalive", GRPC),
          Map.entry("rpc_min_threads", GRPC),
          Map.entry("rpc_max_threads", GRPC),
          Map.entry("rpc_server_type", GRPC),
          Map.entry("rpc_send_buff_size_in_bytes", GRPC),
          Map.entry("rpc_recv_buff_size_in_bytes", GRPC),
          Map.entry("thrift_framed_transport_size_in_mb", GRPC),
          Map.entry("thrift_max_message_length_in_mb", GRPC),
          Map.entry("dynamic_snitch", CHOICE),
          Map.entry("dynamic_snitch_update_interval_in_ms", CHOICE),
          Map.entry("dynamic_snitch_reset_interval_in_ms", CHOICE),
          Map.entry("dynamic_snitch_badness_threshold", CHOICE),
          Map.entry("request_scheduler", SCHEDULER),
          Map.entry("request_scheduler_id", SCHEDULER),
          Map.entry("request_scheduler_options", SCHEDULER),
          Map.entry("flush_largest_memtables_at", HEAP),
          Map.entry("reduce_cache_sizes_at", HEAP),
          Map.entry("reduce_cache_capacity_to", HEAP),
          Map.entry("incremental_backups", "`colonnade snapshot take` makes backups"));

  /** The elements of 0.6 that became settings of 0.7, where the names follow no rule. */
  private static final Map<String, String> RENAMED =
      Map.of(
          "commitlog_directory", "CommitLogDirectory",
          "commitlog_rotation_threshold_in_mb", "CommitLogRotationThresholdInMB",
          "commitlog_sync", "CommitLogSync",
          "commitlog_sync_period_in_ms", "CommitLogSyncPeriodInMS",
          "commitlog_sync_batch_window_in_ms", "CommitLogSyncBatchWindowInMS",
          "rpc_address", "ThriftAddress",
          "rpc_port", "ThriftPort",
          "rpc_timeout_in_ms", "RpcTimeoutInMillis",
          "endpoint_snitch", "EndPointSnitch");

  private static final Set<String> SAME =
      Set.of(
          "cluster_name",
          "initial_token",
          "auto_bootstrap",
          "hinted_handoff_enabled",
          "authenticator",
          "partitioner",
          "saved_caches_directory",
          "disk_access_mode",
          "concurrent_reads",
          "concurrent_writes",
          "sliced_buffer_size_in_kb",
          "storage_port",
          "listen_address",
          "snapshot_before_compaction",
          "column_index_size_in_kb",
          "index_interval",
          "phi_convict_threshold",
          "binary_memtable_throughput_in_mb");

  /** Settings in mebibytes, and the elements that have them in bytes. */
  private static final Map<String, String> MEBIBYTES =
      Map.of(
          "memtable_total_space_in_mb", "MemtableTotalBytes",
          "compaction_throughput_mb_per_sec", "CompactionBytesPerSecond");

  private final YamlFile file;
  private final List<IgnoredElement> ignored = new ArrayList<>();
  private final StringBuilder xml = new StringBuilder("<Storage>");
  private int line = 1;

  private CassandraYaml(YamlFile file) {
    this.file = file;
  }

  /**
   * Reads a file.
   *
   * @param name for messages
   * @throws CommandException at the first error, with line and reason
   */
  public static StorageConf read(String name, byte[] content) throws CommandException {
    return new CassandraYaml(YamlFile.parse(name, content)).read();
  }

  private StorageConf read() throws CommandException {
    List<KeyspaceDefinition> keyspaces = new ArrayList<>();
    for (YamlFile.Field field : file.fields()) {
      switch (field.name()) {
        case "keyspaces" -> keyspaces.addAll(new YamlKeyspaces(file, ignored).read(field));
        case "seeds" -> list(field, "Seeds", "Seed", file.texts(field));
        case "seed_provider" -> list(field, "Seeds", "Seed", providerSeeds(field));
        case "data_file_directories" ->
            list(field, "DataFileDirectories", "DataFileDirectory", file.texts(field));
        case "authority" -> authority(field);
        case "encryption_options" -> encryption(field);
        default -> single(field);
      }
    }
    StorageConf settings = parsed();
    List<IgnoredElement> all = new ArrayList<>(ignored);
    Map<Integer, String> names = new HashMap<>();
    file.fields().forEach(field -> names.put(field.line(), field.name()));
    for (IgnoredElement each : settings.ignored()) {
      String name = names.getOrDefault(each.line(), each.name());
      all.add(new IgnoredElement(name, each.line(), each.reason()));
    }
    return new StorageConf(settings.settings(), keyspaces, all, settings.given());
  }

  private StorageConf parsed() throws CommandException {
    try {
      return StorageConf.parse(
          file.name(),
          xml.append("</Storage>").toString().getBytes(StandardCharsets.UTF_8),
          NodeSettings.DEFAULT,
          ComparatorResolver.builtIns());
    } catch (StorageConfException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
  }

  private void single(YamlFile.Field field) throws CommandException {
    String reason = IGNORED.get(field.name());
    if (reason != null) {
      ignored.add(new IgnoredElement(field.name(), field.line(), reason));
      return;
    }
    String text = file.text(field);
    if (text.isEmpty()) {
      return;
    }
    String mebibytes = MEBIBYTES.get(field.name());
    if (mebibytes != null) {
      element(field, mebibytes, Long.toString(file.wholeNumber(field) << 20));
      return;
    }
    String element = element(field.name()).orElseThrow(() -> unknown(field));
    element(field, element, text);
  }

  private static Optional<String> element(String setting) {
    if (!SAME.contains(setting)) {
      return Optional.ofNullable(RENAMED.get(setting));
    }
    StringBuilder name = new StringBuilder();
    for (String word : setting.split("_")) {
      name.append(
          word.equals("mb") || word.equals("kb")
              ? word.toUpperCase(Locale.ROOT)
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return Optional.of(name.toString());
  }

  private CommandException unknown(YamlFile.Field field) {
    return file.error(
        field.line(), field.name() + " is no setting of Cassandra 0.7 or 0.8; check its spelling");
  }

  private void element(YamlFile.Field field, String name, String text) {
    open(field).append('<').append(name).append('>').append(StorageConfWriter.escaped(text));
    xml.append("</").append(name).append('>');
  }

  private void list(YamlFile.Field field, String name, String child, List<String> texts) {
    open(field).append('<').append(name).append('>');
    for (String text : texts) {
      xml.append('<').append(child).append('>').append(StorageConfWriter.escaped(text));
      xml.append("</").append(child).append('>');
    }
    xml.append("</").append(name).append('>');
  }

  /** Goes on to the line where the file has the setting; they come in the order of their lines. */
  private StringBuilder open(YamlFile.Field field) {
    for (; line < field.line(); line++) {
      xml.append('\n');
    }
    return xml;
  }

  /** Of 0.8: a class, and its parameters; the one that was shipped has a list with commas. */
  private List<String> providerSeeds(YamlFile.Field field) throws CommandException {
    for (YamlFile.Field provider : file.fieldsOfList(field)) {
      if (provider.name().equals("class_name")
          && !file.text(provider).endsWith("SimpleSeedProvider")) {
        throw file.error(
            provider.line(), "only seeds of a SimpleSeedProvider can be read: name them instead");
      }
      if (provider.name().equals("parameters")) {
        for (YamlFile.Field parameter : file.fieldsOfList(provider)) {
          if (parameter.name().equals("seeds")) {
            return List.of(file.text(parameter).strip().split("\\s*,\\s*"));
          }
        }
      }
    }
    throw file.error(field.line(), "seed_provider names no seeds");
  }

  private void authority(YamlFile.Field field) throws CommandException {
    String name = file.text(field);
    if (!name.isEmpty() && !name.endsWith("AllowAllAuthority")) {
      throw file.error(
          field.line(),
          "authority: this server has no authorities of Cassandra; got "
              + name
              + ". Remove it, and grant permissions to accounts: see docs/accounts.md.");
    }
    ignored.add(
        new IgnoredElement(field.name(), field.line(), "everything is allowed, as it says"));
  }

  private void encryption(YamlFile.Field field) throws CommandException {
    for (YamlFile.Field option : file.fieldsOf(field)) {
      if (option.name().equals("internode_encryption") && !file.text(option).equals("none")) {
        throw file.error(
            option.line(),
            "encryption_options: key stores cannot be read. Remove them, and make certificates"
                + " with `colonnade certs`: see docs/security.md.");
      }
    }
    ignored.add(
        new IgnoredElement(
            field.name(), field.line(), "nothing is encrypted, as it says; --tls changes that"));
  }
}
