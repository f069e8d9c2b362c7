package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The largest, the smallest and the oddest data that clients may write. */
final class LargestRows {

  /** The longest time to live that requests may have: 20 years. */
  private static final int TTL_SECONDS = 630_720_000;

  private static final int LONG_VALUE = 20_000;

  private LargestRows() {}

  /** The name of a family at its longest: characters of two units each, beyond U+FFFF. */
  static final String FAMILY = Character.toString(0x2070E).repeat(64);

  /** Keys that the partitioner accepts: all lengths at their ends, and each kind of character. */
  static List<byte[]> keys(Partitioner partitioner) {
    List<byte[]> keys = new ArrayList<>();
    for (String character : List.of("\u0000", "\u0001", "!", "a", "Z", "\u00e9", "\u00aa")) {
      keys.add(text(character));
    }
    for (int codePoint : new int[] {'!', 0x10ffff}) {
      keys.add(text(longest(codePoint)));
    }
    // Two keys with equal tokens where letters alone count.
    keys.add(text("\u0001".repeat(100)));
    keys.add(text("\u0002".repeat(100)));
    if (accepts(partitioner, new byte[] {-1})) {
      keys.add(new byte[] {-1});
      keys.add(filled(DataLimits.KEY_BYTES, -1));
    }
    return keys;
  }

  private static boolean accepts(Partitioner partitioner, byte[] key) {
    try {
      partitioner.rowKey(key);
      return true;
    } catch (InvalidKeyException refused) {
      return false;
    }
  }

  private static String longest(int codePoint) {
    String character = Character.toString(codePoint);
    return character.repeat(DataLimits.KEY_BYTES / text(character).length);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /**
   * The content of a row: names, values, times and deletions at their ends in one row, and a column
   * in the others, so that a test takes little memory.
   */
  static RowUpdate row(ColumnFamily family, byte[] key, long nowSeconds) {
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    byte[] low = {0};
    boolean isFull = key.length == 1 && key[0] == 'a';
    if (!isFull || family.name().equals(FAMILY)) {
      byte[] sub = family.order().isSuper() ? low : null;
      return row.add(Cell.live(low, sub, key.clone(), 1)).build();
    }
    byte[] middle = filled(DataLimits.NAME_BYTES, 0x40);
    byte[] high = filled(DataLimits.NAME_BYTES, -1);
    byte[] gone = filled(DataLimits.NAME_BYTES, 0x20);
    byte[] none = {};
    long expiry = nowSeconds + TTL_SECONDS;
    DeletionTime last = new DeletionTime(Long.MAX_VALUE, nowSeconds);
    if (!family.order().isSuper()) {
      return row.deleteRow(new DeletionTime(Long.MIN_VALUE + 1, nowSeconds))
          .add(Cell.live(low, null, none, Long.MIN_VALUE + 2))
          .add(Cell.live(new byte[] {1}, null, low, -1))
          .deleteRange(PathRange.of(gone), last)
          .add(Cell.expiring(middle, null, filled(LONG_VALUE, 7), 0, TTL_SECONDS, expiry))
          .add(Cell.expiring(filled(2, 0x41), null, none, 1, 1, nowSeconds + 1))
          .add(Cell.deleted(filled(DataLimits.NAME_BYTES, 0x42), null, last))
          .add(Cell.live(high, null, filled(LONG_VALUE, -1), Long.MAX_VALUE))
          .build();
    }
    return row.add(Cell.live(low, low, none, Long.MIN_VALUE + 1))
        .deleteRange(PathRange.of(gone), last)
        .add(Cell.live(middle, low, low, 1))
        .add(Cell.expiring(middle, middle, none, 0, TTL_SECONDS, expiry))
        .deleteRange(PathRange.of(middle, gone), last)
        .add(Cell.deleted(high, middle, last))
        .add(Cell.live(high, high, filled(LONG_VALUE, 3), Long.MAX_VALUE))
        .build();
  }
}
