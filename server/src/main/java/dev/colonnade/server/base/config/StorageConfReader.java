package dev.colonnade.server.base.config;

import dev.colonnade.server.base.config.ClusterSettings.Snitch;
import dev.colonnade.server.base.config.CommitLogOptions.Sync;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the elements of one file to settings and keyspaces. Used once. */
final class StorageConfReader {

  private static final int MAX_MEBIBYTES = 1 << 20;
  private static final int MAX_MILLIS = 86_400_000;
  private static final int MAX_CONNECTIONS = 1 << 20;
  private static final int MAX_READER_TIMEOUT_SECONDS = 86_400;
  private static final int MAX_STALL_LIMIT_SECONDS = 86_400;
  private static final int MAX_HINT_INTERVAL_SECONDS = 86_400;

  private final ConfValues values;
  private final ComparatorResolver types;
  private final List<StorageConf.IgnoredElement> ignored = new ArrayList<>();

  /** Values that the file gives once for all column families, and later schemas for each. */
  private final Map<FamilyField, String> familyDefaults = new EnumMap<>(FamilyField.class);

  static final String KEYS_CACHED_TOGETHER =
      "positions of keys are cached for all families together; the number is kept and shown";

  private Map<String, XmlElement> present = Map.of();
  private @Nullable Snitch snitch;

  StorageConfReader(String file, ComparatorResolver types) {
    this.values = new ConfValues(file);
    this.types = types;
  }

  StorageConf read(XmlElement root, NodeSettings base) throws StorageConfException {
    NodeSettings settings = base;
    List<KeyspaceDefinition> keyspaces;
    switch (root.name()) {
      case "Storage" -> {
        settings = storage(root, settings);
        XmlElement list = present.get("Keyspaces");
        keyspaces = list == null ? List.of() : keyspaceReader().readAll(list);
      }
      case "Keyspaces" -> keyspaces = keyspaceReader().readAll(root);
      case "Keyspace" -> keyspaces = List.of(keyspaceReader().readOne(root));
      default ->
          throw values.error(
              root, "the root is <Storage>, <Keyspaces> or <Keyspace>; got <" + root.name() + ">");
    }
    Snitch found = snitch;
    if (found != null) {
      settings = settings.withCluster(settings.cluster().withSnitch(found));
    }
    return new StorageConf(settings, keyspaces, ignored);
  }

  private KeyspaceConfReader keyspaceReader() {
    return new KeyspaceConfReader(values, types, this, present, familyDefaults);
  }

  void ignore(String name, XmlElement element, String reason) {
    ignored.add(new StorageConf.IgnoredElement(name, element.line(), reason));
  }

  private NodeSettings storage(XmlElement root, NodeSettings base) throws StorageConfException {
    values.rejectAttributes(root);
    Map<String, XmlElement> elements = new HashMap<>();
    for (XmlElement element : root.children()) {
      XmlElement first = elements.putIfAbsent(element.name(), element);
      if (first != null) {
        throw values.error(
            element,
            "<" + element.name() + "> appears twice; the first is in line " + first.line());
      }
    }
    present = elements;
    NodeSettings settings = base;
    for (XmlElement element : root.children()) {
      settings = one(element, settings);
    }
    return commitLog(settings);
  }

  /** Applies one element; a long switch over a table of the old format. */
  private NodeSettings one(XmlElement e, NodeSettings s) throws StorageConfException {
    if (!isKnown(e)) {
      throw unknown(e);
    }
    if (e.text().isEmpty() && e.children().isEmpty()) {
      values.rejectAttributes(e);
      return s;
    }
    AddressSettings a = s.addresses();
    switch (e.name()) {
      case "ClusterName",
          "Partitioner",
          "InitialToken",
          "Seeds",
          "PhiConvictThreshold",
          "AutoBootstrap",
          "HintedHandoffEnabled",
          "HintedHandoffIntervalInSeconds",
          "DoConsistencyChecksBoolean" -> {
        return cluster(e, s);
      }
      case "ListenAddress" -> {
        String address = values.text(e);
        boolean forBoth = !present.containsKey("ThriftAddress");
        return values.checked(
            e,
            () -> s.withAddresses(forBoth ? a.withAddress(address) : a.withPeerAddress(address)));
      }
      case "ThriftAddress" -> {
        return s.withAddresses(a.withClientAddress(values.text(e)));
      }
      case "ThriftPort" -> {
        return s.withAddresses(a.withClientPort(values.integer(e, 1, 65_535)));
      }
      case "StoragePort" -> {
        return s.withAddresses(a.withPeerPort(values.integer(e, 1, 65_535)));
      }
      case "CommitLogDirectory" -> {
        String directory = values.text(e);
        return values.checked(e, () -> s.withDirectories(s.directories().withCommitLog(directory)));
      }
      case "DataFileDirectories" -> {
        String directory = firstDirectory(e);
        return values.checked(e, () -> s.withDirectories(s.directories().withData(directory)));
      }
      case "RpcTimeoutInMillis" -> {
        Duration timeout = Duration.ofMillis(values.integer(e, 1, MAX_MILLIS));
        return s.withRequests(s.requests().withRpcTimeout(timeout));
      }
      case "MaxClientConnections" -> {
        int connections = values.integer(e, 1, MAX_CONNECTIONS);
        return s.withConnections(s.connections().withMaxClients(connections));
      }
      case "ReaderTimeoutInSeconds" -> {
        Duration timeout = Duration.ofSeconds(values.integer(e, 1, MAX_READER_TIMEOUT_SECONDS));
        return s.withConnections(s.connections().withReaderTimeout(timeout));
      }
      case "StallLimitInSeconds" -> {
        int seconds = values.integer(e, 1, MAX_STALL_LIMIT_SECONDS);
        return s.withHealth(new HealthSettings(Duration.ofSeconds(seconds)));
      }
      case "ConcurrentReads" -> {
        return s.withRequests(s.requests().withReadThreads(values.integer(e, 2, 1024)));
      }
      case "CommitLogRotationThresholdInMB" -> {
        long bytes = (long) values.integer(e, 1, 1024) << 20;
        return s.withCommitLog(s.commitLog().withSegmentBytes(bytes));
      }
      default -> {
        other(e, s);
        return s;
      }
    }
  }

  private NodeSettings cluster(XmlElement e, NodeSettings s) throws StorageConfException {
    ClusterSettings c = s.cluster();
    switch (e.name()) {
      case "ClusterName" -> {
        String name = values.text(e);
        return values.checked(e, () -> s.withCluster(c.withName(name)));
      }
      case "Partitioner" -> {
        return s.withCluster(c.withPartitioner(values.text(e)));
      }
      case "InitialToken" -> {
        return s.withCluster(c.withInitialToken(values.text(e)));
      }
      case "Seeds" -> {
        return s.withCluster(c.withSeeds(list(e, "Seed")));
      }
      case "PhiConvictThreshold" -> {
        return s.withCluster(c.withPhiThreshold(values.number(e, 5, 16)));
      }
      case "AutoBootstrap" -> {
        return s.withCluster(c.withAutoBootstrap(values.flag(e)));
      }
      case "HintedHandoffEnabled" -> {
        return s.withCluster(c.withHintedHandoff(values.flag(e)));
      }
      case "HintedHandoffIntervalInSeconds" -> {
        Duration interval = Duration.ofSeconds(values.integer(e, 1, MAX_HINT_INTERVAL_SECONDS));
        return s.withCluster(c.withHintInterval(interval));
      }
      default -> {
        return s.withCluster(c.withReadRepair(values.flag(e)));
      }
    }
  }

  /**
   * Handles elements that change no setting of the node: for families, for later, or without
   * effect.
   */
  private void other(XmlElement e, NodeSettings s) throws StorageConfException {
    switch (e.name()) {
      case "MemtableThroughputInMB", "MemtableSizeInMB" ->
          familyDefault(FamilyField.MEMTABLE_THROUGHPUT, memtableMebibytes(e, s.storage()));
      case "MemtableOperationsInMillions", "MemtableObjectCountInMillions" ->
          familyDefault(
              FamilyField.MEMTABLE_MAX_OPERATIONS,
              Math.round(values.number(e, 0.000_001, 1_000_000) * 1e6));
      case "MemtableFlushAfterMinutes" ->
          familyDefault(FamilyField.MEMTABLE_FLUSH_AFTER, values.integer(e, 1, 35_000_000) * 60L);
      case "GCGraceSeconds" ->
          familyDefault(FamilyField.GC_GRACE, values.integer(e, 0, Integer.MAX_VALUE));
      case "KeysCachedFraction" -> {
        familyDefaults.put(FamilyField.KEYS_CACHED, (values.number(e, 0, 1) * 100) + "%");
        ignore(e.name(), e, KEYS_CACHED_TOGETHER);
      }
      case "EndPointSnitch" -> snitch(e);
      case "Authenticator" -> authenticator(e);
      case "SnapshotBeforeCompaction" -> snapshots(e);
      case "Keyspaces",
          "ReplicaPlacementStrategy",
          "ReplicationFactor",
          "CommitLogSync",
          "CommitLogSyncPeriodInMS",
          "CommitLogSyncBatchWindowInMS" -> {
        // Read with the keyspaces, or with the rest of the commit log's elements.
      }
      default -> {
        Optional<String> reason = IgnoredElements.reason(e.name());
        if (reason.isEmpty()) {
          throw unknown(e);
        }
        values.text(e);
        ignore(e.name(), e, reason.get());
      }
    }
  }

  private long memtableMebibytes(XmlElement e, StorageSettings storage)
      throws StorageConfException {
    int mebibytes = values.integer(e, 1, MAX_MEBIBYTES);
    long most = storage.memtableBytesMax() >> 20;
    if (mebibytes > most) {
      ignore(
          e.name(),
          e,
          "beyond "
              + most
              + " MiB, at which a memtable is flushed: all of them together have "
              + (storage.memtableTotalBytes() >> 20)
              + " MiB");
    }
    return mebibytes;
  }

  private static boolean isKnown(XmlElement e) {
    return KnownElements.NAMES.contains(e.name()) || IgnoredElements.reason(e.name()).isPresent();
  }

  private StorageConfException unknown(XmlElement e) {
    return values.error(
        e,
        e.name().equals("Tables")
            ? "<Tables> became <Keyspaces> in Cassandra 0.5: write <Keyspaces> with"
                + " <Keyspace Name=\"…\"> instead of <Table Name=\"…\">, and <ColumnFamily> with"
                + " CompareWith instead of ColumnSort"
            : "<" + e.name() + "> is not an element of <Storage>; check its spelling");
  }

  private void familyDefault(FamilyField field, long value) {
    familyDefaults.put(field, Long.toString(value));
  }

  void snitch(XmlElement e) throws StorageConfException {
    String name = values.text(e);
    Snitch found =
        Snitch.of(name)
            .orElseThrow(
                () ->
                    values.error(
                        e,
                        name.endsWith("PropertyFileEndPointSnitch")
                            ? "write PropertyFileSnitch instead of \""
                                + name
                                + "\", and copy what rack.properties says to"
                                + " cassandra-topology.properties beside this file, in lines"
                                + " address=datacenter:rack"
                            : "<EndPointSnitch> is one of "
                                + Snitch.names()
                                + "; got \""
                                + name
                                + "\""));
    if (snitch != null && snitch != found) {
      throw values.error(e, "a node has one snitch, but this file names a different one above");
    }
    snitch = found;
  }

  private void authenticator(XmlElement e) throws StorageConfException {
    String name = values.text(e);
    if (!name.endsWith("AllowAllAuthenticator")) {
      throw values.error(
          e,
          "<Authenticator>: this server has no authentication, and must not pretend to; got \""
              + name
              + "\". Remove the element, and protect the client port by other means.");
    }
    ignore(e.name(), e, "every client that reaches the client port is accepted, as it says");
  }

  private void snapshots(XmlElement e) throws StorageConfException {
    if (values.flag(e)) {
      throw values.error(
          e, "<SnapshotBeforeCompaction> cannot be true: there are no snapshots; set it to false");
    }
    ignore(e.name(), e, "there are no snapshots, and the file asks for none");
  }

  private String firstDirectory(XmlElement e) throws StorageConfException {
    List<String> directories = list(e, "DataFileDirectory");
    if (directories.size() > 1) {
      ignore(
          "DataFileDirectory",
          e.children().get(1),
          "all data files go to the first directory; join disks below the file system");
    }
    if (directories.isEmpty()) {
      throw values.error(e, "<DataFileDirectories> holds at least one <DataFileDirectory>");
    }
    return directories.get(0);
  }

  private List<String> list(XmlElement e, String childName) throws StorageConfException {
    values.rejectAttributes(e);
    List<String> texts = new ArrayList<>();
    for (XmlElement child : e.children()) {
      if (!child.name().equals(childName)) {
        throw values.error(
            child, "<" + e.name() + "> holds <" + childName + ">; got <" + child.name() + ">");
      }
      String text = values.text(child);
      if (text.isEmpty()) {
        throw values.error(child, "<" + childName + "> is empty");
      }
      texts.add(text);
    }
    return texts;
  }

  private NodeSettings commitLog(NodeSettings settings) throws StorageConfException {
    CommitLogOptions log = settings.commitLog();
    XmlElement sync = present.get("CommitLogSync");
    if (sync != null && !sync.text().isEmpty()) {
      log =
          log.withSync(
              switch (values.text(sync)) {
                case "periodic" -> Sync.PERIODIC;
                case "batch" -> Sync.BATCH;
                default ->
                    throw values.error(
                        sync, "<CommitLogSync> is periodic or batch; got \"" + sync.text() + "\"");
              });
    }
    XmlElement period = present.get("CommitLogSyncPeriodInMS");
    if (period != null && !period.text().isEmpty()) {
      requireSync(period, log, Sync.PERIODIC);
      log = log.withSyncPeriod(Duration.ofMillis(values.integer(period, 1, MAX_MILLIS)));
    }
    XmlElement window = present.get("CommitLogSyncBatchWindowInMS");
    if (window != null && !window.text().isEmpty()) {
      requireSync(window, log, Sync.BATCH);
      values.number(window, 0, 1_000);
      ignore(
          window.name(),
          window,
          "a sync waits for no further writes: those that come while it runs share the next one");
    }
    return settings.withCommitLog(log);
  }

  private void requireSync(XmlElement e, CommitLogOptions log, Sync needed)
      throws StorageConfException {
    if (log.sync() != needed) {
      throw values.error(
          e,
          "<" + e.name() + "> belongs to the other kind of <CommitLogSync>: remove one of the two");
    }
  }
}
