package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.schema.FamilyField;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Makes lists of operations; equal seeds make equal lists. */
final class RandomLists {

  /**
   * What lists are like.
   *
   * @param operations how many a list has
   * @param fromClock timestamps are of the last few seconds, as clients' are; otherwise there are
   *     few, with many ties, and some at the ends of what there is
   * @param secondsMax how much time passes at once
   * @param fields of all families
   */
  record Kind(int operations, boolean fromClock, int secondsMax, Map<FamilyField, String> fields) {

    /** The longest time to live, in seconds. */
    int ttlMax() {
      return fromClock ? 10 : 40;
    }

    /** Many ties, and nothing is old enough to be purged. */
    static final Kind TIES = new Kind(18, false, 30, Map.of());

    /**
     * Deletions are purged after twenty seconds; no write is as late as that, since one that comes
     * after what deleted it was purged is there to stay.
     */
    static final Kind SHORT_GRACE = new Kind(40, true, 60, Map.of(FamilyField.GC_GRACE, "20"));
  }

  private static final int LATEST_MICROS = 10_000_000;

  private final Random random;

  /** Of its own, so that the lists of a seed stay what they were before there were such reads. */
  private final Random sinces;

  private final Kind kind;
  private final List<Operation> streams = new ArrayList<>();
  private int expiring;

  private RandomLists(long seed, Kind kind) {
    this.random = new Random(seed);
    this.sinces = new Random(~seed);
    this.kind = kind;
  }

  static List<Operation> list(long seed, Kind kind) {
    RandomLists lists = new RandomLists(seed, kind);
    List<Operation> list = new ArrayList<>();
    while (list.size() < kind.operations()) {
      list.add(lists.operation());
    }
    return list;
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private Families.Shape family() {
    return pick(Families.Shape.values());
  }

  private int key() {
    return random.nextInt(Families.KEYS);
  }

  private Operation operation() {
    int choice = random.nextInt(100);
    if (choice < 42) {
      return write();
    } else if (choice < 66) {
      return read();
    } else if (choice < 74) {
      return stream();
    } else if (choice < 92) {
      return maintenance();
    }
    return new BackgroundOperation.Pass(1 + random.nextInt(kind.secondsMax()));
  }

  private Operation maintenance() {
    return switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> new BackgroundOperation.Flush(family());
      case 4, 5 -> new BackgroundOperation.Compact(family());
      case 6, 7 -> new BackgroundOperation.Restart(pick(Target.Restart.values()));
      case 8 ->
          oneIn(2)
              ? new BackgroundOperation.Truncate(family())
              : new BackgroundOperation.Recreate(family());
      case 9 ->
          new BackgroundOperation.Change(family(), FamilyField.ROWS_CACHED, oneIn(2) ? "50" : "0");
      case 10 -> new BackgroundOperation.Change(family(), FamilyField.MEMTABLE_MAX_OPERATIONS, "6");
      default ->
          new BackgroundOperation.Change(family(), FamilyField.MIN_COMPACTION_THRESHOLD, "2");
    };
  }

  private Operation write() {
    List<Write.Part> parts = new ArrayList<>();
    int count = oneIn(4) ? 2 + random.nextInt(3) : 1;
    for (int i = 0; i < count; i++) {
      Families.Shape shape = family();
      List<Write.Change> changes = new ArrayList<>();
      int size = oneIn(6) ? 14 : 1 + random.nextInt(5);
      for (int j = 0; j < size; j++) {
        changes.add(change(shape));
      }
      parts.add(new Write.Part(shape, key(), changes));
    }
    return new Write(parts);
  }

  private Write.Change change(Families.Shape shape) {
    int top = top(shape);
    int sub = random.nextInt(Families.SUBS);
    return switch (random.nextInt(kind.fromClock() ? 15 : 20)) {
      case 0 -> new Write.DeleteRow(stamp());
      case 1, 2 -> new Write.DeleteRange(edge(shape), edge(shape), stamp());
      case 3 -> new Write.DeleteSuperColumn(top, stamp());
      case 4, 5, 6 -> new Write.DeleteColumn(top, sub, stamp());
      case 7, 8, 9 ->
          new Write.Put(
              top,
              sub,
              random.nextInt(3),
              length(),
              1 + random.nextInt(kind.ttlMax()),
              expiringStamp());
      default -> new Write.Put(top, sub, random.nextInt(3), length(), 0, stamp());
    };
  }

  private int length() {
    return oneIn(12) ? 700 : random.nextInt(3);
  }

  private int top(Families.Shape shape) {
    boolean longer = shape == Families.Shape.NUMBERED && oneIn(4);
    return random.nextInt(Families.TOPS) + (longer ? Families.TOPS : 0);
  }

  private Write.Edge edge(Families.Shape shape) {
    if (oneIn(6)) {
      return new Write.Edge(Write.Edge.START, 0, oneIn(2));
    }
    int sub = shape.isSuper() && oneIn(2) ? random.nextInt(Families.SUBS) : -1;
    return new Write.Edge(top(shape), sub, oneIn(2));
  }

  private Write.Stamp stamp() {
    if (kind.fromClock()) {
      return new Write.Stamp(true, oneIn(2) ? 0 : random.nextInt(LATEST_MICROS / 1_000) * 1_000L);
    }
    if (oneIn(40)) {
      return new Write.Stamp(
          false, List.of(Long.MIN_VALUE, -1L, Long.MAX_VALUE).get(random.nextInt(3)));
    }
    return new Write.Stamp(false, random.nextInt(8) * 1_000L);
  }

  /** Ties like any other, and half of the time newer than all that was written with it. */
  private Write.Stamp expiringStamp() {
    if (oneIn(2)) {
      return stamp();
    }
    expiring++;
    return kind.fromClock()
        ? new Write.Stamp(true, random.nextInt(LATEST_MICROS / 1_000) * 1_000L + expiring)
        : new Write.Stamp(false, random.nextInt(8) * 1_000L + expiring);
  }

  private Operation read() {
    Families.Shape family = family();
    return switch (random.nextInt(10)) {
      case 0 -> new Reads.Count(family, key(), slice(family));
      case 1 -> new Reads.Multiget(family, List.of(key(), key(), key()), slice(family));
      case 2, 3, 4 -> scan(family);
      default -> new Reads.Row(family, key(), slice(family), pageBytes());
    };
  }

  private Reads.Scan scan(Families.Shape family) {
    List<Integer> edges =
        oneIn(2) ? List.of() : List.of(key(), key(), key(), key()).subList(0, oneIn(2) ? 2 : 4);
    // A row of which nothing is left but deletions is listed until they are purged.
    boolean emptyRows = !kind.fromClock() && oneIn(3);
    return new Reads.Scan(
        family,
        edges,
        slice(family),
        oneIn(2) ? Long.MAX_VALUE : 1 + random.nextInt(3),
        emptyRows,
        oneIn(4),
        pageBytes());
  }

  private Operation stream() {
    if (!streams.isEmpty() && !oneIn(4)) {
      return streams.get(random.nextInt(streams.size()));
    }
    Families.Shape family = family();
    int number = streams.size();
    Operation stream =
        oneIn(2)
            ? new Streams.OfRow(
                number,
                new Reads.Row(family, key(), slice(family), pageBytes()),
                1 + random.nextInt(3))
            : new Streams.OfRows(
                number,
                new Reads.Scan(
                    family, List.of(), slice(family), Long.MAX_VALUE, false, oneIn(5), pageBytes()),
                1 + random.nextInt(4));
    streams.add(stream);
    return stream;
  }

  private int pageBytes() {
    return oneIn(3) ? 1 << 20 : 1 + random.nextInt(400);
  }

  private Reads.Shape slice(Families.Shape family) {
    boolean byTop = family.isSuper() && !oneIn(3);
    List<Reads.Span> spans = new ArrayList<>();
    switch (random.nextInt(6)) {
      case 0 -> names(spans);
      case 1, 2 -> spans.add(span(new Write.Edge(-1, 0, false), new Write.Edge(-1, 0, true)));
      case 3 -> {
        int top = random.nextInt(Families.TOPS);
        spans.add(span(new Write.Edge(top, -1, false), new Write.Edge(top, -1, true)));
      }
      default -> {
        int a = random.nextInt(Families.TOPS);
        int b = random.nextInt(Families.TOPS);
        spans.add(
            span(
                new Write.Edge(Math.min(a, b), -1, oneIn(4)),
                new Write.Edge(Math.max(a, b), -1, !oneIn(4))));
      }
    }
    if (family.isSuper() && !byTop) {
      insideOneSuperColumn(spans);
    }
    long limit = oneIn(2) ? Long.MAX_VALUE : random.nextInt(6);
    return new Reads.Shape(spans, oneIn(2), byTop, limit, since());
  }

  /** A time of the clock would move on under a stream that lasts; only fixed ones are drawn. */
  private long since() {
    return kind.fromClock() || sinces.nextInt(3) > 0
        ? Long.MIN_VALUE
        : sinces.nextInt(9) * 1_000L + sinces.nextInt(2);
  }

  private void names(List<Reads.Span> spans) {
    TreeSet<Integer> names = new TreeSet<>();
    Collections.addAll(
        names,
        random.nextInt(Families.TOPS),
        random.nextInt(Families.TOPS),
        random.nextInt(Families.TOPS));
    for (int name : names) {
      spans.add(span(new Write.Edge(name, -1, false), new Write.Edge(name, -1, true)));
    }
  }

  /** Columns of one super column: one by name, or from one to another. */
  private void insideOneSuperColumn(List<Reads.Span> spans) {
    spans.clear();
    int top = random.nextInt(Families.TOPS);
    int a = random.nextInt(Families.SUBS);
    int b = oneIn(2) ? a : random.nextInt(Families.SUBS);
    spans.add(
        span(
            new Write.Edge(top, Math.min(a, b), oneIn(5)),
            new Write.Edge(top, Math.max(a, b), !oneIn(5))));
  }

  private static Reads.Span span(Write.Edge from, Write.Edge to) {
    return new Reads.Span(from, to);
  }
}
