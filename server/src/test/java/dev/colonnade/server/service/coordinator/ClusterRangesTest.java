package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Scans over rows of several nodes. */
class ClusterRangesTest {

  private static final RowRange EVERYTHING =
      new RowRange(RowKey.firstOf(new byte[0]), Optional.empty());

  @SuppressWarnings("NullAway.Init") // each test makes its own
  private SimulatedCluster cluster;

  /** What a scan asks for. */
  private record Scan(
      List<RowRange> ranges,
      Slice slice,
      long rowLimit,
      boolean emptyRows,
      boolean keysOnly,
      int pageBytes,
      Consistency level) {}

  private ColumnFamily family(int size, Partitioner partitioner, int factor) throws Exception {
    List<SimulatedCluster.Seat> seats = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      seats.add(new SimulatedCluster.Seat("dc", Topology.RingState.NORMAL));
    }
    cluster = new SimulatedCluster(partitioner, seats);
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema().createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(factor)));
    cluster.await(node.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    return cluster.node(0).family("K", "F");
  }

  private CompletableFuture<RangePage> page(
      int node, ColumnFamily family, Scan scan, Optional<RangePosition> from) {
    return cluster
        .node(node)
        .coordinator()
        .readRange(
            new RangeRead(
                family,
                scan.ranges(),
                scan.slice(),
                scan.rowLimit(),
                scan.emptyRows(),
                scan.keysOnly(),
                from,
                scan.pageBytes(),
                scan.level(),
                cluster.deadline(),
                PageSink.LISTS));
  }

  /** Reads page by page, each at another node. */
  private List<String> scan(ColumnFamily family, Scan scan, IntUnaryOperator nodeOfPage) {
    List<String> rows = new ArrayList<>();
    Optional<RangePosition> from = Optional.empty();
    boolean continues = false;
    for (int page = 0; page == 0 || from.isPresent(); page++) {
      RangePage read = cluster.await(page(nodeOfPage.applyAsInt(page), family, scan, from));
      for (RowCells row : read.rows()) {
        String cells = Render.cells(row.cells());
        if (continues) {
          rows.set(rows.size() - 1, rows.get(rows.size() - 1) + " " + cells);
        } else {
          rows.add(new String(row.key().key(), StandardCharsets.UTF_8) + ":" + cells);
        }
        continues = false;
      }
      continues = read.rowContinues();
      from = read.next();
      assertTrue(page < 10_000, "a scan that does not end");
    }
    return rows;
  }

  @Test
  void scansEqualAModelWhicheverReplicaHasWhat() throws Exception {
    for (long seed = 1; seed <= 6; seed++) {
      RandomSource random = new SeededRandom(seed);
      Partitioner partitioner = seed % 2 == 0 ? Partitioners.RANDOM : Partitioners.ORDER_PRESERVING;
      int factor = 1 + random.nextInt(3);
      ColumnFamily family = family(5, partitioner, factor);
      SortedMap<RowKey, SortedSet<String>> model = fill(family, random);
      for (int i = 0; i < 12; i++) {
        Scan scan = randomScan(random, new ArrayList<>(model.keySet()));
        assertEquals(
            expected(model, scan),
            scan(family, scan, page -> random.nextInt(5)),
            "seed " + seed + ", scan " + i + ": " + scan);
      }
    }
  }

  /** Each cell goes to some owners of its row only; at ALL all of them count. */
  private SortedMap<RowKey, SortedSet<String>> fill(ColumnFamily family, RandomSource random)
      throws Exception {
    SortedMap<RowKey, SortedSet<String>> model = new TreeMap<>();
    for (int i = 0; i < 40; i++) {
      String key = (char) ('a' + random.nextInt(20)) + "" + random.nextInt(10);
      for (int c = random.nextInt(6); c >= 0; c--) {
        String column = "c" + random.nextInt(9);
        cluster.await(
            cluster.node(random.nextInt(5)).put(family, key, column, "v", Consistency.ALL));
        model.computeIfAbsent(cluster.key(key), k -> new TreeSet<>()).add(column + "=v");
        if (random.nextInt(4) == 0) {
          String other = "d" + random.nextInt(9);
          cluster.await(cluster.putOnOneOwner(family, key, other, "v", random.nextInt(3)));
          model.computeIfAbsent(cluster.key(key), k -> new TreeSet<>()).add(other + "=v");
        }
      }
    }
    return model;
  }

  private Scan randomScan(RandomSource random, List<RowKey> keys) {
    List<RowRange> ranges = new ArrayList<>();
    if (random.nextInt(2) == 0) {
      ranges.add(EVERYTHING);
    } else {
      RowKey a = keys.get(random.nextInt(keys.size()));
      RowKey b = keys.get(random.nextInt(keys.size()));
      if (a.compareTo(b) < 0) {
        ranges.add(new RowRange(a, Optional.of(b)));
      } else {
        ranges.add(new RowRange(a, Optional.empty()));
        ranges.add(new RowRange(EVERYTHING.start(), Optional.of(b)));
      }
    }
    boolean keysOnly = random.nextInt(4) == 0;
    long columns = random.nextInt(2) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(3);
    return new Scan(
        ranges,
        new Slice(SimulatedCluster.WHOLE.ranges(), false, false, columns),
        random.nextInt(2) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(8),
        random.nextInt(4) == 0,
        keysOnly,
        random.nextInt(2) == 0 ? 1 << 20 : 1 + random.nextInt(200),
        Consistency.ALL);
  }

  private static List<String> expected(SortedMap<RowKey, SortedSet<String>> model, Scan scan) {
    List<String> rows = new ArrayList<>();
    for (RowRange range : scan.ranges()) {
      model.forEach(
          (key, cells) -> {
            boolean inside =
                key.compareTo(range.start()) >= 0
                    && (range.end().isEmpty() || key.compareTo(range.end().get()) < 0);
            if (inside && rows.size() < scan.rowLimit()) {
              List<String> shown =
                  scan.keysOnly() ? List.of() : cells.stream().limit(scan.slice().limit()).toList();
              rows.add(
                  new String(key.key(), StandardCharsets.UTF_8) + ":" + String.join(" ", shown));
            }
          });
    }
    return rows;
  }

  @Test
  void whatALevelSaysDependsOnHowManyAreDown() throws Exception {
    ColumnFamily family = family(3, Partitioners.ORDER_PRESERVING, 3);
    cluster.await(cluster.node(0).put(family, "k", "c", "v", Consistency.ALL));
    List<Consistency> levels = List.of(Consistency.ONE, Consistency.QUORUM, Consistency.ALL);

    assertEquals(List.of("ok", "ok", "ok"), outcomes(family, levels));
    cluster.down(2);
    assertEquals(List.of("ok", "ok", "unavailable 2/3"), outcomes(family, levels));
    cluster.down(1, 2);
    assertEquals(List.of("ok", "unavailable 1/2", "unavailable 1/3"), outcomes(family, levels));
    cluster.down();
    cluster.silence(2);
    assertEquals(List.of("ok", "ok", "timeout 2/3"), outcomes(family, levels));
  }

  private List<String> outcomes(ColumnFamily family, List<Consistency> levels) {
    return levels.stream()
        .map(level -> cluster.outcome(page(0, family, all(level), Optional.empty())))
        .toList();
  }

  private static Scan all(Consistency level) {
    return new Scan(
        List.of(EVERYTHING), SimulatedCluster.WHOLE, Long.MAX_VALUE, false, false, 1 << 20, level);
  }

  @Test
  void oneDeadOwnerOfAPartMakesTheWholeScanUnavailable() throws Exception {
    ColumnFamily family = family(3, Partitioners.ORDER_PRESERVING, 1);
    cluster.await(cluster.node(0).put(family, "a", "c", "v", Consistency.ONE));
    cluster.down(1);

    assertEquals(
        "unavailable 0/1",
        cluster.outcome(page(0, family, all(Consistency.ONE), Optional.empty())));
  }

  @Test
  void whereEveryNodeHasEverythingTheScanIsOnePiece() throws Exception {
    ColumnFamily family = family(3, Partitioners.ORDER_PRESERVING, 3);
    for (String key : List.of("a", "c", "f", "z")) {
      cluster.await(cluster.node(0).put(family, key, "c", "v", Consistency.ALL));
    }
    cluster.network().delivered();

    assertEquals(
        List.of("a:c=v", "c:c=v", "f:c=v", "z:c=v"),
        scan(family, all(Consistency.QUORUM), page -> 0));

    assertEquals(
        2,
        cluster.network().delivered().stream()
            .filter(frame -> frame.verb() == Verb.READ_RANGE)
            .count());
  }

  @Test
  void aScanOfNothingAsksMoreAndMoreRangesAtOnce() throws Exception {
    ColumnFamily family = family(24, Partitioners.ORDER_PRESERVING, 1);
    Duration hop = Duration.ofMillis(20);
    cluster.network().slow(route -> true, hop);
    CompletableFuture<RangePage> scan = page(0, family, all(Consistency.ONE), Optional.empty());
    long roundTrips = 0;
    while (!scan.isDone()) {
      cluster.scheduler().advance(hop.multipliedBy(2).plusMillis(2));
      roundTrips++;
    }
    assertTrue(roundTrips <= 6, roundTrips + " round trips for 24 ranges: 1, 2, 4, 8, 9");
    assertEquals(23, asked());
    assertEquals(List.of(), scan.join().rows());

    // The next scan knows what one scan has learned.
    CompletableFuture<RangePage> next = page(0, family, all(Consistency.ONE), Optional.empty());
    cluster.scheduler().advance(hop.multipliedBy(2).plusMillis(2));
    assertFalse(next.isDone());
    cluster.scheduler().advance(hop.multipliedBy(2).plusMillis(2));
    assertTrue(next.isDone(), "18 ranges, then 6");
  }

  @Test
  void aScanOfFullRangesAsksForNothingInVain() throws Exception {
    ColumnFamily family = family(6, Partitioners.ORDER_PRESERVING, 1);
    for (char key = 'a'; key <= 'z'; key++) {
      cluster.await(cluster.node(0).put(family, "" + key, "c", "v", Consistency.ALL));
    }
    Scan two =
        new Scan(
            List.of(EVERYTHING),
            all(Consistency.ONE).slice(),
            2,
            false,
            false,
            1 << 20,
            Consistency.ONE);
    assertEquals(List.of("a:c=v", "b:c=v"), scan(family, two, page -> 0));
    cluster.network().delivered();
    assertEquals(List.of("a:c=v", "b:c=v"), scan(family, two, page -> 0));
    assertTrue(asked() <= 1, "one range has both");
  }

  @Test
  void aCancelledScanIsOverOnTheReplicasWithinATenthOfASecond() throws Exception {
    ColumnFamily family = family(5, Partitioners.ORDER_PRESERVING, 1);
    Duration hop = Duration.ofMillis(20);
    cluster.network().slow(route -> true, hop);
    CompletableFuture<RangePage> scan = page(0, family, all(Consistency.ONE), Optional.empty());
    cluster.scheduler().advance(Duration.ofMillis(70));
    assertFalse(scan.isDone());
    assertEquals(4, asked(), "two replicas have answered, and two more are being asked");

    scan.cancel(false);
    cluster.scheduler().advance(Duration.ofMillis(100));
    assertTrue(
        cluster.network().delivered().stream()
            .anyMatch(frame -> frame.kind() == Frame.FrameKind.CANCEL));
    cluster.scheduler().advance(Duration.ofSeconds(5));
    assertEquals(List.of(), cluster.network().delivered());
  }

  /** Replicas that have been asked for rows since this was asked last. */
  private long asked() {
    return cluster.network().delivered().stream()
        .filter(frame -> frame.verb() == Verb.READ_RANGE && frame.kind() == Frame.FrameKind.REQUEST)
        .count();
  }

  @Test
  void aScanMendsWhatItFindsAmiss() throws Exception {
    ColumnFamily family = family(3, Partitioners.ORDER_PRESERVING, 3);
    cluster.await(cluster.node(1).putHere(family, "a", "c", "v"));
    cluster.await(cluster.node(2).putHere(family, "z", "c", "v"));

    assertEquals(List.of("a:c=v", "z:c=v"), scan(family, all(Consistency.ALL), page -> 0));

    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("c=v", cluster.await(node.stored(family, "a")));
      assertEquals("c=v", cluster.await(node.stored(family, "z")));
    }
  }

  @Test
  void aScanOfTheFirstNodeCountsTheSecondWhileThatJoins() throws Exception {
    cluster =
        new SimulatedCluster(
            Partitioners.ORDER_PRESERVING,
            List.of(
                new SimulatedCluster.Seat("dc", Topology.RingState.NORMAL),
                new SimulatedCluster.Seat("dc", Topology.RingState.JOINING)));
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema().createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(1)));
    cluster.await(node.schema().createFamily(FamilyDefinition.standard("K", "F", "UTF8Type")));
    ColumnFamily family = node.family("K", "F");
    // Between the tokens of both, so that the second one will own it.
    cluster.await(node.putHere(family, "d", "c", "v"));
    Scan scan =
        new Scan(
            List.of(EVERYTHING),
            SimulatedCluster.WHOLE,
            10,
            false,
            false,
            1 << 20,
            Consistency.QUORUM);

    assertEquals(List.of("d:c=v"), scan(family, scan, page -> 0));

    assertEquals("c=v", cluster.await(cluster.node(1).stored(family, "d")));
  }
}
