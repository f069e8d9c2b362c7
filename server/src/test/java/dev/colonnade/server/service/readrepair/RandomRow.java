package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Random changes to a small row, and random questions about it, that meet each other often. */
final class RandomRow {

  private static final int TOPS = 7;
  private static final int SUBS = 4;

  /** No cell expires between this and this. */
  private static final int LONG_SECONDS = 100_000;

  private final Random random;
  private final ColumnFamily family;
  private final long nowSeconds;

  RandomRow(Random random, ColumnFamily family, long nowSeconds) {
    this.random = random;
    this.family = family;
    this.nowSeconds = nowSeconds;
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  /** Numbers have two spellings. */
  private byte[] top(int number) {
    if (family.order().topType().typeName().equals("IntegerType")) {
      return oneIn(3) ? new byte[] {0, (byte) number} : new byte[] {(byte) number};
    }
    return new byte[] {(byte) ('a' + number)};
  }

  private byte[] top() {
    return top(random.nextInt(TOPS));
  }

  private byte @Nullable [] sub() {
    return isSuper() ? new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) random.nextInt(SUBS)} : null;
  }

  private boolean isSuper() {
    return family.order().isSuper();
  }

  RowUpdate update() {
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    for (int parts = oneIn(5) ? 10 : 1 + random.nextInt(3); parts > 0; parts--) {
      switch (random.nextInt(12)) {
        case 0 -> {
          if (oneIn(3)) {
            update.deleteRow(deletion());
          }
        }
        case 1, 2 -> update.deleteRange(range(), deletion());
        case 3 -> update.deleteRange(PathRange.of(top()), deletion());
        case 4, 5 -> update.add(Cell.deleted(top(), sub(), deletion()));
        case 6 -> update.add(expiring());
        default -> update.add(Cell.live(top(), sub(), value(), random.nextInt(8)));
      }
    }
    return update.build();
  }

  private Cell expiring() {
    long expiry = nowSeconds + (oneIn(2) ? LONG_SECONDS : -random.nextInt(LONG_SECONDS));
    return Cell.expiring(top(), sub(), value(), random.nextInt(8), 5, expiry);
  }

  private byte[] value() {
    byte[] value = new byte[oneIn(6) ? 100 : random.nextInt(3)];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) random.nextInt(3);
    }
    return value;
  }

  private DeletionTime deletion() {
    return new DeletionTime(random.nextInt(8), nowSeconds - random.nextInt(3));
  }

  /** A deletion that every replica may have purged, older than all data. */
  RowUpdate purgeable() {
    DeletionTime deletion = new DeletionTime(-1, nowSeconds - 1_000L * LONG_SECONDS);
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    if (oneIn(4)) {
      update.deleteRow(deletion);
    }
    update.deleteRange(range(), deletion);
    for (int i = 0; i < 3; i++) {
      update.add(Cell.deleted(top(), sub(), deletion));
    }
    return update.build();
  }

  private Bound bound() {
    if (oneIn(6)) {
      return oneIn(2) ? Bound.START : Bound.END;
    }
    byte[] sub = isSuper() && oneIn(2) ? sub() : null;
    return oneIn(2) ? Bound.before(top(), sub) : Bound.after(top(), sub);
  }

  private PathRange range() {
    while (true) {
      Bound a = bound();
      Bound b = bound();
      int result = family.order().compare(a, b);
      if (result != 0) {
        return result < 0 ? new PathRange(a, b) : new PathRange(b, a);
      }
    }
  }

  /** A possible request of a client. */
  Slice slice() {
    boolean byTop = isSuper() && !oneIn(3);
    long limit = oneIn(2) ? Long.MAX_VALUE : random.nextInt(6);
    Slice slice = new Slice(isSuper() && !byTop ? insideOne() : overTops(), oneIn(2), byTop, limit);
    return oneIn(3) ? slice.since(random.nextInt(9)) : slice;
  }

  private List<PathRange> overTops() {
    return switch (random.nextInt(5)) {
      case 0 -> names();
      case 1 -> List.of(PathRange.of(top()));
      case 2 -> span();
      default -> List.of(PathRange.ALL);
    };
  }

  private List<PathRange> names() {
    TreeSet<Integer> names = new TreeSet<>();
    Collections.addAll(names, random.nextInt(TOPS), random.nextInt(TOPS), random.nextInt(TOPS));
    List<PathRange> ranges = new ArrayList<>();
    names.forEach(name -> ranges.add(PathRange.of(top(name))));
    return ranges;
  }

  private List<PathRange> span() {
    int a = random.nextInt(TOPS);
    int b = random.nextInt(TOPS);
    byte[] low = top(Math.min(a, b));
    byte[] high = top(Math.max(a, b));
    Bound start = oneIn(4) ? Bound.after(low) : Bound.before(low);
    Bound end = oneIn(4) ? Bound.before(high) : Bound.after(high);
    return family.order().compare(start, end) < 0 ? List.of(new PathRange(start, end)) : List.of();
  }

  /** Columns of one super column. */
  private List<PathRange> insideOne() {
    byte[] top = top();
    byte[] a = sub();
    byte[] b = sub();
    if (a == null || b == null || oneIn(3)) {
      return List.of(PathRange.of(top));
    }
    boolean ordered = family.order().leafType().compare(a, b) <= 0;
    return oneIn(2)
        ? List.of(PathRange.of(top, a))
        : List.of(
            new PathRange(Bound.before(top, ordered ? a : b), Bound.after(top, ordered ? b : a)));
  }

  /** How much a page may hold. */
  int pageBytes() {
    return oneIn(3) ? 1 << 20 : 1 + random.nextInt(400);
  }
}
