package dev.colonnade.server.base.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class MetricSetTest {
  private final MetricSet metrics = new MetricSet();

  @Test
  void askingTwiceGivesTheSameMetric() {
    Labels posts = Labels.of("family", "posts").and("keyspace", "blog");
    Counter counter = metrics.counter("reads", "Reads.", posts);
    assertSame(
        counter,
        metrics.counter("reads", "Reads.", Labels.of("keyspace", "blog").and("family", "posts")));
    counter.increment();
    counter.add(2);
    assertEquals(3, counter.total());
    assertEquals(1, metrics.families().size());
  }

  @Test
  void aNameHasOneKind() {
    metrics.counter("reads", "Reads.", Labels.NONE);
    assertThrows(
        IllegalArgumentException.class,
        () -> metrics.gauge("reads", "Reads.", Labels.NONE, () -> 1));
  }

  @Test
  void namesAreChecked() {
    for (String name : List.of("", "Reads", "1st", "a-b", "reads_total")) {
      assertThrows(
          IllegalArgumentException.class, () -> metrics.counter(name, "", Labels.NONE), name);
    }
    assertThrows(IllegalArgumentException.class, () -> metrics.latency("reads", "", Labels.NONE));
    assertThrows(IllegalArgumentException.class, () -> Labels.of("a b", ""));
  }

  @Test
  void aDroppedFamilyTakesItsSeriesWithIt() {
    metrics.counter("reads", "Reads.", Labels.of("family", "posts"));
    metrics.counter("reads", "Reads.", Labels.of("family", "tags"));
    metrics.gauge("memtable_bytes", "Bytes.", Labels.of("family", "posts"), () -> 1);
    metrics.remove("family", Set.of("posts"));
    assertEquals(1, metrics.families().size());
    assertEquals(1, metrics.families().get(0).series().size());
  }

  @Test
  void aFullSetStillCountsAndShowsNoMore() {
    MetricSet small = new MetricSet(1);
    Counter shown = small.counter("reads", "Reads.", Labels.of("method", "a"));
    Counter unseen = small.counter("reads", "Reads.", Labels.of("method", "b"));
    Latency other = small.latency("other_seconds", "Other.", Labels.NONE);
    shown.increment();
    unseen.increment();
    other.record(5);
    assertEquals(1, unseen.total());
    assertEquals(1, other.snapshot().count());
    assertEquals(2, small.leftOut());
    assertEquals(1, small.families().size());
    assertEquals(1, small.families().get(0).series().size());
    small.remove("method", Set.of("a"));
    assertEquals(0, small.families().size());
    small.counter("reads", "Reads.", Labels.of("method", "b"));
    assertEquals(1, small.families().size(), "there is room again");
  }

  @Test
  void everyDurationIsBelowItsBucketsBoundAndNotBelowTheOneBefore() {
    for (long nanos = 0; nanos < 1L << 36; nanos += 1 + nanos / 7) {
      int bucket = Latency.bucket(nanos);
      assertTrue(nanos < Latency.upperBoundNanos(bucket), "" + nanos);
      assertTrue(bucket == 0 || nanos >= Latency.upperBoundNanos(bucket - 1), "" + nanos);
    }
    assertEquals(Latency.BUCKETS - 1, Latency.bucket(Long.MAX_VALUE));
  }

  @Test
  void aSnapshotHasEachRecordInOneBucketAndTheLastHasNoBound() {
    Latency latency = new Latency();
    for (int i = 1; i <= 1000; i++) {
      latency.record(i * 1_000_000L);
    }
    latency.record(-5);
    latency.record(Long.MAX_VALUE / 2);
    LatencySnapshot snapshot = latency.snapshot();
    assertEquals(1002, snapshot.count());
    long below = 0;
    long halfASecond = 0;
    for (int i = 0; i < snapshot.buckets(); i++) {
      below += snapshot.bucketCount(i);
      if (snapshot.upperBoundNanos(i) == 1L << 29) {
        halfASecond = below;
      }
    }
    assertEquals(1002, below);
    assertEquals(1 + 536, halfASecond, "of those of up to 536 ms, and the negative one");
    assertEquals(1, snapshot.bucketCount(0));
    assertEquals(1, snapshot.bucketCount(snapshot.buckets() - 1));
    assertEquals(Long.MAX_VALUE, snapshot.upperBoundNanos(snapshot.buckets() - 1));
  }
}
