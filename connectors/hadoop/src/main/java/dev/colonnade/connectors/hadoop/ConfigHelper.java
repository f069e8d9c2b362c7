package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.Consistency;
import dev.colonnade.client.RingRange;
import dev.colonnade.client.Slice;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a job, in its configuration. Programs call the methods; a command line sets the
 * same properties with {@code -D}. Bytes of keys and names are in Base64 there, unless the property
 * ends in {@code .text}, which is UTF-8.
 *
 * <p>{@code colonnade.client.*} are the settings of the client library by their names, as {@code
 * colonnade.client.contact_points}, {@code colonnade.client.read_consistency}, {@code
 * colonnade.client.tls_trusted} or {@code colonnade.client.token_file}. Files of certificates and
 * tokens are named, not copied: they must be on the machines of the tasks.
 */
public final class ConfigHelper {

  /** Before the name of a setting of the client library. */
  public static final String CLIENT_PREFIX = "colonnade.client.";

  /** The keyspace to read. */
  public static final String INPUT_KEYSPACE = "colonnade.input.keyspace";

  /** The families to read, separated by commas. */
  public static final String INPUT_FAMILIES = "colonnade.input.families";

  /** The one super column of each row to read, in a Super family. */
  public static final String INPUT_SUPER_COLUMN = "colonnade.input.super_column";

  /** The names to read, separated by commas; in Base64, or with {@code .text} as text. */
  public static final String INPUT_NAMES = "colonnade.input.names";

  /** The first name to read. */
  public static final String INPUT_FROM = "colonnade.input.from";

  /** The last name to read. */
  public static final String INPUT_TO = "colonnade.input.to";

  /** Whether rows are read from their greatest name on: {@code true} or {@code false}. */
  public static final String INPUT_REVERSED = "colonnade.input.reversed";

  /** How many entries of each row to read at most. */
  public static final String INPUT_LIMIT = "colonnade.input.limit";

  /** The least timestamp to read, in microseconds since 1970 by convention. */
  public static final String INPUT_SINCE = "colonnade.input.since";

  /** The tokens to read: after the first, up to the second. */
  public static final String INPUT_START_TOKEN = "colonnade.input.start_token";

  /** See {@link #INPUT_START_TOKEN}. */
  public static final String INPUT_END_TOKEN = "colonnade.input.end_token";

  /** The keys to read, both included; the same twice under RandomPartitioner. */
  public static final String INPUT_START_KEY = "colonnade.input.start_key";

  /** See {@link #INPUT_START_KEY}. */
  public static final String INPUT_END_KEY = "colonnade.input.end_key";

  /** About how many rows a task reads. */
  public static final String INPUT_SPLIT_SIZE = "colonnade.input.split_size";

  /** The keyspace to write. */
  public static final String OUTPUT_KEYSPACE = "colonnade.output.keyspace";

  /** The family to write. */
  public static final String OUTPUT_FAMILY = "colonnade.output.family";

  /** The timestamp of what is written without one; set when the job is submitted. */
  public static final String OUTPUT_TIMESTAMP = "colonnade.output.timestamp";

  /** Where a bulk load sorts what does not fit into memory. */
  public static final String BULK_DIRECTORY = "colonnade.bulk.directory";

  /** How many bytes a bulk load sorts in memory. */
  public static final String BULK_MEMORY = "colonnade.bulk.memory";

  static final String TEXT = ".text";

  private ConfigHelper() {}

  /**
   * Nodes that the client calls first.
   *
   * @param targets {@code host:port} of each
   */
  public static void setContactPoints(Configuration conf, Collection<String> targets) {
    setClient(conf, "contact_points", String.join(",", targets));
  }

  /** A setting of the client library by its name, as in a properties file. */
  public static void setClient(Configuration conf, String name, String value) {
    conf.set(CLIENT_PREFIX + name, value);
  }

  /** How many replicas a read waits for. */
  public static void setReadConsistency(Configuration conf, Consistency level) {
    setClient(conf, "read_consistency", level.name());
  }

  /** How many replicas a write, or a bulk load, waits for. */
  public static void setWriteConsistency(Configuration conf, Consistency level) {
    setClient(conf, "write_consistency", level.name());
  }

  /**
   * What to read. Of several families a task reads one, which {@link ColumnFamilySplit#family}
   * names.
   */
  public static void setInput(Configuration conf, String keyspace, String... families) {
    conf.set(INPUT_KEYSPACE, keyspace);
    conf.setStrings(INPUT_FAMILIES, families);
  }

  /** Reads these columns, or super columns, alone. */
  public static void setNames(Configuration conf, String... names) {
    conf.setStrings(
        INPUT_NAMES,
        Arrays.stream(names).map(it -> base64(CellWritable.bytes(it))).toArray(String[]::new));
  }

  /**
   * Reads an interval of columns, or of super columns.
   *
   * @param from null: from the beginning
   * @param to null: to the end
   * @param limit of each row; 0 for none
   */
  public static void setInterval(
      Configuration conf, byte @Nullable [] from, byte @Nullable [] to, int limit) {
    setBytes(conf, INPUT_FROM, from);
    setBytes(conf, INPUT_TO, to);
    conf.setInt(INPUT_LIMIT, limit);
  }

  /** Reads only one super column of each row. */
  public static void setSuperColumn(Configuration conf, byte[] name) {
    setBytes(conf, INPUT_SUPER_COLUMN, name);
  }

  /** Reads only rows whose tokens are after the first and up to the second. */
  public static void setTokenRange(Configuration conf, String start, String end) {
    conf.set(INPUT_START_TOKEN, start);
    conf.set(INPUT_END_TOKEN, end);
  }

  /** Reads only rows with keys from one to another, both included, or one row. */
  public static void setKeyRange(Configuration conf, byte[] first, byte[] last) {
    setBytes(conf, INPUT_START_KEY, first);
    setBytes(conf, INPUT_END_KEY, last);
  }

  /** About how many rows a task reads. */
  public static void setSplitSize(Configuration conf, int rows) {
    conf.setInt(INPUT_SPLIT_SIZE, rows);
  }

  /** Where to write. */
  public static void setOutput(Configuration conf, String keyspace, String family) {
    conf.set(OUTPUT_KEYSPACE, keyspace);
    conf.set(OUTPUT_FAMILY, family);
  }

  static String keyspace(Configuration conf) {
    return required(conf, INPUT_KEYSPACE);
  }

  static List<String> families(Configuration conf) {
    required(conf, INPUT_FAMILIES);
    return List.of(conf.getTrimmedStrings(INPUT_FAMILIES));
  }

  static Optional<byte[]> superColumn(Configuration conf) {
    return bytes(conf, INPUT_SUPER_COLUMN);
  }

  static int splitSize(Configuration conf) {
    int size = conf.getInt(INPUT_SPLIT_SIZE, 0);
    if (size < 0) {
      throw new IllegalArgumentException(
          INPUT_SPLIT_SIZE
              + " is a number of rows from 1 on, or 0 for the node's 65,536; got "
              + size);
    }
    return size;
  }

  /** The predicate of rows. */
  static Slice<byte[]> slice(Configuration conf) {
    Slice<byte[]> slice;
    if (conf.get(INPUT_NAMES) != null || conf.get(INPUT_NAMES + TEXT) != null) {
      if (bytes(conf, INPUT_FROM).isPresent() || bytes(conf, INPUT_TO).isPresent()) {
        throw new IllegalArgumentException(
            INPUT_NAMES + " goes with neither " + INPUT_FROM + " nor " + INPUT_TO);
      }
      slice = Slice.named(names(conf));
    } else {
      slice = interval(conf);
    }
    String since = conf.getTrimmed(INPUT_SINCE, "");
    return since.isEmpty() ? slice : slice.since(number(INPUT_SINCE, since));
  }

  private static List<byte[]> names(Configuration conf) {
    String[] texts = conf.getTrimmedStrings(INPUT_NAMES + TEXT);
    return texts.length > 0
        ? Arrays.stream(texts).map(CellWritable::bytes).toList()
        : Arrays.stream(conf.getTrimmedStrings(INPUT_NAMES))
            .map(each -> decode(INPUT_NAMES, each))
            .toList();
  }

  private static Slice<byte[]> interval(Configuration conf) {
    Slice<byte[]> slice = bytes(conf, INPUT_FROM).map(Slice::from).orElseGet(Slice::all);
    Optional<byte[]> to = bytes(conf, INPUT_TO);
    if (to.isPresent()) {
      slice = slice.to(to.get());
    }
    if (conf.getBoolean(INPUT_REVERSED, false)) {
      slice = slice.reversed();
    }
    int limit = conf.getInt(INPUT_LIMIT, 0);
    return limit == 0 ? slice : slice.limit(limit);
  }

  /** The tokens to read; empty for all. */
  static Optional<RingRange> tokens(Configuration conf) {
    String start = conf.getTrimmed(INPUT_START_TOKEN, "");
    String end = conf.getTrimmed(INPUT_END_TOKEN, "");
    if (start.isEmpty() != end.isEmpty()) {
      throw new IllegalArgumentException(
          INPUT_START_TOKEN + " and " + INPUT_END_TOKEN + " are set together");
    }
    return start.isEmpty() ? Optional.empty() : Optional.of(new RingRange(start, end, List.of()));
  }

  /**
   * A range of keys.
   *
   * @param first included
   * @param last included
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Keys(byte[] first, byte[] last) {
    boolean isOne() {
      return Arrays.equals(first, last);
    }
  }

  /** The keys to read; empty for all. */
  static Optional<Keys> keys(Configuration conf) {
    Optional<byte[]> first = bytes(conf, INPUT_START_KEY);
    Optional<byte[]> last = bytes(conf, INPUT_END_KEY);
    if (first.isPresent() != last.isPresent()) {
      throw new IllegalArgumentException(
          INPUT_START_KEY + " and " + INPUT_END_KEY + " are set together");
    }
    if (first.isPresent() && tokens(conf).isPresent()) {
      throw new IllegalArgumentException("a job reads a range of keys or one of tokens, not both");
    }
    return first.map(it -> new Keys(it, last.orElseThrow()));
  }

  static String outputKeyspace(Configuration conf) {
    return required(conf, OUTPUT_KEYSPACE);
  }

  static String outputFamily(Configuration conf) {
    return required(conf, OUTPUT_FAMILY);
  }

  /** One timestamp for all attempts of all tasks: what is written twice is written once. */
  static void fixTimestamp(Configuration conf) {
    if (conf.getTrimmed(OUTPUT_TIMESTAMP, "").isEmpty()) {
      conf.setLong(OUTPUT_TIMESTAMP, System.currentTimeMillis() * 1_000);
    }
  }

  static OptionalLong timestamp(Configuration conf) {
    String text = conf.getTrimmed(OUTPUT_TIMESTAMP, "");
    return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(number(OUTPUT_TIMESTAMP, text));
  }

  static Optional<Path> bulkDirectory(Configuration conf) {
    return Optional.of(conf.getTrimmed(BULK_DIRECTORY, ""))
        .filter(it -> !it.isEmpty())
        .map(Path::of);
  }

  static OptionalLong bulkMemory(Configuration conf) {
    String text = conf.getTrimmed(BULK_MEMORY, "");
    return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(number(BULK_MEMORY, text));
  }

  private static String required(Configuration conf, String name) {
    String value = conf.getTrimmed(name, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException("the job's configuration lacks " + name);
    }
    return value;
  }

  private static long number(String name, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is a whole number; got " + text, e);
    }
  }

  private static void setBytes(Configuration conf, String name, byte @Nullable [] bytes) {
    if (bytes == null) {
      conf.unset(name);
    } else {
      conf.set(name, base64(bytes));
    }
  }

  private static Optional<byte[]> bytes(Configuration conf, String name) {
    String text = conf.get(name + TEXT);
    if (text != null) {
      return Optional.of(CellWritable.bytes(text));
    }
    String encoded = conf.getTrimmed(name, "");
    return encoded.isEmpty() ? Optional.empty() : Optional.of(decode(name, encoded));
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] decode(String name, String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " is in Base64, and text goes into " + name + TEXT + "; got " + text, e);
    }
  }
}
