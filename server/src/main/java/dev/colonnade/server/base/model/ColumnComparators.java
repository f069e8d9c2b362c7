package dev.colonnade.server.base.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The built-in comparators. Case matters in their names.
 *
 * <p>In all of them the empty name is valid and sorts before everything else; the callers decide
 * where a name may be empty (bounds) and where it may not (columns).
 */
public final class ColumnComparators {

  /** Any bytes, compared unsigned. */
  public static final ColumnComparator BYTES = new BytesType();

  /** Bytes 0x00 to 0x7f, compared as bytes. */
  public static final ColumnComparator ASCII = new AsciiType();

  /** Well-formed UTF-8, compared as bytes, which is the order of code points. */
  public static final ColumnComparator UTF8 = new UTF8Type();

  /** Eight bytes, compared as signed big-endian numbers. */
  public static final ColumnComparator LONG = new LongType();

  /** Sixteen bytes of a UUID of any version, compared as two signed halves. */
  public static final ColumnComparator LEXICAL_UUID = new LexicalUUIDType();

  /** Sixteen bytes of a version 1 UUID, compared by time. */
  public static final ColumnComparator TIME_UUID = new TimeUUIDType();

  /** Two's complement numbers of any length, compared as numbers: 0x01 and 0x0001 are the same. */
  public static final ColumnComparator INTEGER = new IntegerType();

  private static final String OLD_PACKAGE = "org.apache.cassandra.db.marshal.";
  private static final Map<String, ColumnComparator> BY_NAME = byName();

  private ColumnComparators() {}

  /**
   * The built-in type of that name: short ({@code LongType}) or as the first Cassandra spelt it
   * ({@code org.apache.cassandra.db.marshal.LongType}).
   */
  public static Optional<ColumnComparator> builtIn(String name) {
    String shortName = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
    return Optional.ofNullable(BY_NAME.get(shortName));
  }

  /** The built-in types, in the order in which documentation lists them. */
  public static List<ColumnComparator> all() {
    return List.of(BYTES, ASCII, UTF8, LONG, LEXICAL_UUID, TIME_UUID, INTEGER);
  }

  private static Map<String, ColumnComparator> byName() {
    Map<String, ColumnComparator> types = new LinkedHashMap<>();
    for (ColumnComparator comparator : all()) {
      types.put(comparator.typeName(), comparator);
    }
    return Map.copyOf(types);
  }
}
