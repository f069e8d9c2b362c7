package dev.colonnade.connectors.spark;

import dev.colonnade.client.ClientBuilder;
import dev.colonnade.client.Colonnade;
import java.io.Serializable;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of a reader or a writer: some of the connector, and all others of the client.
 * Immutable.
 */
final class Settings implements Serializable {

  private static final long serialVersionUID = 1;

  static final String KEYSPACE = "keyspace";
  static final String FAMILY = "family";
  static final String MAPPING = "mapping";
  static final String SUPER_COLUMN = "super_column";
  static final String KEY_TYPE = "key_type";
  static final String SUPER_TYPE = "super_type";
  static final String NAME_TYPE = "name_type";
  static final String VALUE_TYPE = "value_type";
  static final String SPLIT_SIZE = "split_size";
  static final String TIMESTAMP = "timestamp";
  static final String TIMESTAMP_COLUMN = "timestamp_column";
  static final String TTL = "ttl";
  static final String WRITE = "write";
  static final String BULK_DIRECTORY = "bulk_directory";
  static final String BULK_MEMORY = "bulk_memory";

  private static final Set<String> OWN =
      Set.of(
          KEYSPACE,
          FAMILY,
          MAPPING,
          SUPER_COLUMN,
          KEY_TYPE,
          SUPER_TYPE,
          NAME_TYPE,
          VALUE_TYPE,
          SPLIT_SIZE,
          TIMESTAMP,
          TIMESTAMP_COLUMN,
          TTL,
          WRITE,
          BULK_DIRECTORY,
          BULK_MEMORY);

  /** Of Spark itself, which passes them on. */
  private static final Set<String> OF_SPARK =
      Set.of("checkpointlocation", "queryname", "path", "paths");

  /**
   * Longer than it takes to notice that a machine is gone, so that the reading goes on elsewhere.
   */
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  /** Names in small letters, as Spark's maps have them. */
  private final TreeMap<String, String> own = new TreeMap<>();

  private final TreeMap<String, String> ofClient = new TreeMap<>();

  /**
   * Takes options.
   *
   * @throws IllegalArgumentException if one is missing, unknown or has a wrong value; the message
   *     says which
   */
  Settings(Map<String, String> options) {
    options.forEach(
        (name, value) -> {
          String key = name.toLowerCase(Locale.ROOT);
          if (OWN.contains(key)) {
            own.put(key, value);
          } else if (!OF_SPARK.contains(key)) {
            ofClient.put(key, value);
          }
        });
    required(KEYSPACE);
    required(FAMILY);
    choice(MAPPING, "", "cells", "columns");
    choice(WRITE, "append", "append", "bulk");
    within(SPLIT_SIZE, 1, Integer.MAX_VALUE);
    within(TTL, 1, Integer.MAX_VALUE);
    within(TIMESTAMP, Long.MIN_VALUE, Long.MAX_VALUE);
    within(BULK_MEMORY, 1, Long.MAX_VALUE);
    if (builder().contactPoints().isEmpty()) {
      throw new IllegalArgumentException(
          "the option contact_points is missing: HOST:PORT of one node or more");
    }
  }

  String keyspace() {
    return required(KEYSPACE);
  }

  String family() {
    return required(FAMILY);
  }

  String qualifiedName() {
    return keyspace() + "." + family();
  }

  /** The one super column that is meant, of a Super family. */
  Optional<String> superColumn() {
    return text(SUPER_COLUMN);
  }

  /** {@code cells} or {@code columns}; empty if the schema decides. */
  Optional<String> mapping() {
    return text(MAPPING);
  }

  /** What bytes are, if it is said by an option of this name. */
  Optional<WireType> type(String option) {
    Optional<String> name = text(option);
    Optional<WireType> type = name.map(WireType::named);
    if (type.isPresent()
        && type.get() == WireType.BYTES
        && !Set.of("bytestype", "binary").contains(name.get().toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          "the option "
              + option
              + " is a type such as string, binary or LongType; got "
              + name.get());
    }
    return type;
  }

  /** About how many rows a task reads; 0 for the node's default. */
  int splitSize() {
    return text(SPLIT_SIZE).map(Integer::parseInt).orElse(0);
  }

  /** Of what is written without one, in microseconds since 1970. */
  OptionalLong timestampMicros() {
    return number(TIMESTAMP);
  }

  /** The column of a table of named columns that has the timestamps to write. */
  Optional<String> timestampColumn() {
    return text(TIMESTAMP_COLUMN);
  }

  /** How long what is written lives. */
  Optional<Duration> ttl() {
    return text(TTL).map(Long::parseLong).map(Duration::ofSeconds);
  }

  boolean isBulk() {
    return text(WRITE).filter("bulk"::equalsIgnoreCase).isPresent();
  }

  Optional<String> bulkDirectory() {
    return text(BULK_DIRECTORY);
  }

  OptionalLong bulkMemory() {
    return number(BULK_MEMORY);
  }

  /**
   * A client.
   *
   * @param firstOf nodes that it calls before the contact points of the options
   */
  Colonnade connect(Collection<String> firstOf) {
    ClientBuilder builder = builder();
    if (builder.options().discovery()) {
      Set<String> all = new LinkedHashSet<>(firstOf);
      all.addAll(builder.contactPoints());
      builder.contactPoints(all);
    }
    return builder.connect();
  }

  /** The options of the client, with this connector's deadline. */
  ClientBuilder builder() {
    return Colonnade.builder()
        .options(it -> it.withCalls(it.calls().withDeadline(DEADLINE)))
        .properties(ofClient);
  }

  private Optional<String> text(String option) {
    @Nullable String value = own.get(option);
    return value == null || value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  private String required(String option) {
    return text(option)
        .orElseThrow(() -> new IllegalArgumentException("the option " + option + " is missing"));
  }

  private OptionalLong number(String option) {
    Optional<String> value = text(option);
    return value.isPresent()
        ? OptionalLong.of(Long.parseLong(value.get().strip()))
        : OptionalLong.empty();
  }

  private void choice(String option, String usual, String... values) {
    String value = text(option).orElse(usual);
    if (!value.isEmpty() && List.of(values).stream().noneMatch(value::equalsIgnoreCase)) {
      throw new IllegalArgumentException(
          "the option " + option + " is " + String.join(" or ", values) + "; got " + value);
    }
  }

  private void within(String option, long least, long most) {
    String wanted = "the option " + option + " is a whole number from " + least + " to " + most;
    try {
      OptionalLong number = number(option);
      if (number.isPresent() && (number.getAsLong() < least || number.getAsLong() > most)) {
        throw new IllegalArgumentException(wanted + "; got " + number.getAsLong());
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wanted + "; got " + text(option).orElse(""), e);
    }
  }
}
