package dev.colonnade.it.bench.layout;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A shape of rows, and the inserts that write them. One insert is what a program sends at once. */
enum LayoutShape {
  /** Many rows of five columns; an insert is a row. */
  NARROW(1, 5, false),
  /** Rows of a thousand columns, such as a timeline; an insert is a column. */
  WIDE(1000, 1, false),
  /** Rows of ten super columns of ten columns; an insert is a super column. */
  SUPER(10, 10, true);

  private static final int VALUE_BYTES = 20;

  private final int insertsOfRow;
  private final int columnsOfInsert;
  private final boolean supers;

  LayoutShape(int insertsOfRow, int columnsOfInsert, boolean supers) {
    this.insertsOfRow = insertsOfRow;
    this.columnsOfInsert = columnsOfInsert;
    this.supers = supers;
  }

  /** A name and its value. */
  @SuppressWarnings("ArrayRecordComponent")
  record Column(byte[] name, byte[] value) {}

  /**
   * Some columns of one row.
   *
   * @param superColumn where they are; null in a Standard family
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Insert(byte[] key, byte @Nullable [] superColumn, List<Column> columns) {

    /** Bytes of the super column's name, the columns' names and values, without the key. */
    long bytesWithoutKey() {
      long bytes = superColumn == null ? 0 : superColumn.length;
      for (Column column : columns) {
        bytes += column.name().length + column.value().length;
      }
      return bytes;
    }
  }

  boolean supers() {
    return supers;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Rows that {@code inserts} inserts make, at least one. */
  int rows(int inserts) {
    return Math.max(1, inserts / insertsOfRow);
  }

  /** How many inserts write {@code rows} rows. */
  int inserts(int rows) {
    return rows * insertsOfRow;
  }

  /**
   * The insert of that number.
   *
   * @param number from 0 to {@link #inserts} - 1, each of which writes other columns
   */
  Insert insert(int number) {
    int part = number % insertsOfRow;
    Random random = new Random(number);
    List<Column> columns = new ArrayList<>(columnsOfInsert);
    for (int i = 0; i < columnsOfInsert; i++) {
      byte[] name =
          insertsOfRow > 1 && !supers
              ? ByteBuffer.allocate(Long.BYTES).putLong(1_700_000_000_000L + part).array()
              : text("field" + i);
      columns.add(new Column(name, value(random)));
    }
    return new Insert(
        key(number / insertsOfRow), supers ? text("item-" + (1000 + part)) : null, columns);
  }

  /** The key of the row of that number; keys that follow each other are apart in any order. */
  byte[] key(int row) {
    long mixed = (row + 1L) * 0x9E3779B97F4A7C15L;
    return text(String.format(Locale.ROOT, "%016x", mixed));
  }

  /** Half of a value is random, so that it can be compressed as far as what people write can. */
  private static byte[] value(Random random) {
    byte[] value = text("value of a column...");
    for (int i = VALUE_BYTES / 2; i < VALUE_BYTES; i++) {
      value[i] = (byte) random.nextInt(256);
    }
    return value;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
