package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.node.platform.SeededRandom;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Random rows of all shapes: empty but deleted, narrow, and over many blocks. */
public final class TestRows {
  public static final long NOW = 10_000;
  public static final PathOrder STANDARD = new PathOrder(ColumnComparators.BYTES, null);
  public static final PathOrder SUPER =
      new PathOrder(ColumnComparators.BYTES, ColumnComparators.BYTES);

  private final RandomSource random;
  private final PathOrder order;

  public TestRows(long seed, PathOrder order) {
    this.random = new SeededRandom(seed);
    this.order = order;
  }

  /** A key with a token that scatters. */
  public static RowKey key(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    Hash128 hash = Hash128.of(bytes);
    byte[] token = ByteBuffer.allocate(16).putLong(hash.low()).putLong(hash.high()).array();
    return new RowKey(token, bytes);
  }

  public NavigableMap<RowKey, RowState> rows(int count) {
    NavigableMap<RowKey, RowState> rows = new TreeMap<>();
    while (rows.size() < count) {
      RowState state = row();
      if (!state.isEmpty()) {
        rows.put(key("row" + random.nextInt(10 * count)), state);
      }
    }
    return rows;
  }

  public RowState row() {
    RowState state = RowState.EMPTY;
    int cells =
        switch (random.nextInt(8)) {
          case 0 -> 0;
          case 1 -> 300 + random.nextInt(300);
          default -> 1 + random.nextInt(12);
        };
    RowUpdate.Builder update = RowUpdate.builder(order);
    for (int i = 0; i < cells; i++) {
      update.add(cell());
    }
    int ranges = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0;
    for (int i = 0; i < ranges; i++) {
      update.deleteRange(range(), deletion());
    }
    if (random.nextInt(6) == 0) {
      update.deleteRow(deletion());
    }
    return state.apply(update.build(), order);
  }

  public Cell cell() {
    byte[] top = name();
    byte[] sub = order.isSuper() ? name() : null;
    long timestamp = 1_700_000_000_000_000L + random.nextInt(1000);
    byte[] value = new byte[random.nextInt(40) == 0 ? 3000 : random.nextInt(20)];
    random.nextBytes(value);
    return switch (random.nextInt(6)) {
      case 0 -> Cell.deleted(top, sub, new DeletionTime(timestamp, NOW - random.nextInt(1000)));
      case 1 -> Cell.expiring(top, sub, value, timestamp, 60, NOW - 500 + random.nextInt(1000));
      default -> Cell.live(top, sub, value, timestamp);
    };
  }

  public Bound bound() {
    if (random.nextInt(8) == 0) {
      return random.nextInt(2) == 0 ? Bound.START : Bound.END;
    }
    byte[] top = name();
    byte[] sub = order.isSuper() && random.nextInt(2) == 0 ? name() : null;
    return random.nextInt(2) == 0 ? Bound.before(top, sub) : Bound.after(top, sub);
  }

  public PathRange range() {
    while (true) {
      Bound a = bound();
      Bound b = bound();
      int comparison = order.compare(a, b);
      if (comparison != 0) {
        return comparison < 0 ? new PathRange(a, b) : new PathRange(b, a);
      }
    }
  }

  public DeletionTime deletion() {
    return new DeletionTime(
        1_700_000_000_000_000L + random.nextInt(1000), NOW - random.nextInt(1000));
  }

  public int below(int bound) {
    return random.nextInt(bound);
  }

  private byte[] name() {
    if (order.isSuper()) {
      return new byte[] {(byte) random.nextInt(24)};
    }
    return new byte[] {(byte) random.nextInt(4), (byte) random.nextInt(256)};
  }
}
