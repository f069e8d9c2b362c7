package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Small random rows whose parts collide often. */
final class RandomRows {

  static final long NOW = 1_000;

  private final Random random;
  private final PathOrder order;

  RandomRows(Random random, PathOrder order) {
    this.random = random;
    this.order = order;
  }

  static PathOrder standardOrder() {
    return new PathOrder(new UnsignedBytes(), null);
  }

  static PathOrder superOrder() {
    return new PathOrder(new UnsignedBytes(), new UnsignedBytes());
  }

  byte[] name() {
    return new byte[] {(byte) ('a' + random.nextInt(6))};
  }

  Cell cell() {
    byte[] top = name();
    byte[] sub = order.isSuper() ? name() : null;
    long timestamp = random.nextInt(5);
    byte[] value = {(byte) random.nextInt(3)};
    return switch (random.nextInt(4)) {
      case 0 -> Cell.deleted(top, sub, new DeletionTime(timestamp, 900 + random.nextInt(3)));
      case 1 -> Cell.expiring(top, sub, value, timestamp, 5, 999 + random.nextInt(3));
      default -> Cell.live(top, sub, value, timestamp);
    };
  }

  Bound bound() {
    if (random.nextInt(8) == 0) {
      return random.nextBoolean() ? Bound.START : Bound.END;
    }
    byte[] top = name();
    byte[] sub = order.isSuper() && random.nextBoolean() ? name() : null;
    return random.nextBoolean() ? Bound.before(top, sub) : Bound.after(top, sub);
  }

  PathRange range() {
    while (true) {
      Bound a = bound();
      Bound b = bound();
      int result = order.compare(a, b);
      if (result != 0) {
        return result < 0 ? new PathRange(a, b) : new PathRange(b, a);
      }
    }
  }

  DeletionTime deletion() {
    return new DeletionTime(random.nextInt(5), 900 + random.nextInt(3));
  }

  RowUpdate update() {
    RowUpdate.Builder builder = RowUpdate.builder(order);
    int parts = 1 + random.nextInt(5);
    for (int i = 0; i < parts; i++) {
      int kind = random.nextInt(10);
      if (kind == 0) {
        builder.deleteRow(deletion());
      } else if (kind < 4) {
        builder.deleteRange(range(), deletion());
      } else {
        builder.add(cell());
      }
    }
    return builder.build();
  }

  List<RowUpdate> updates(int count) {
    List<RowUpdate> updates = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      updates.add(update());
    }
    return updates;
  }

  /** Plain byte order, so that these tests depend on nothing else. */
  static final class UnsignedBytes implements ColumnComparator {
    @Override
    public String typeName() {
      return "UnsignedBytes";
    }

    @Override
    public int compare(byte[] left, byte[] right) {
      return Arrays.compareUnsigned(left, right);
    }

    @Override
    public void validate(byte[] name) {}

    @Override
    public String display(byte[] name) {
      return new String(name, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    @Override
    public byte[] parse(String text) {
      return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }
  }
}
