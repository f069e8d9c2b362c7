package dev.colonnade.server.service.admin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.FamilyFigure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator asks about the cluster, of a node alone. */
final class LiveOperationsTest {

  private static final String KS = "Ks";
  private static final String WORDS = "some words to fill a block of a data file with ".repeat(4);

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    if (store.schema().current().keyspace(KS).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(KS)));
      store.await(store.schema().createFamily(FamilyDefinition.standard(KS, "F", "UTF8Type")));
    }
  }

  @Test
  void aDrainedNodeHasNothingInItsLogAndItsNextStartReplaysNothing() throws Exception {
    for (int i = 0; i < 20; i++) {
      store.await(put("row" + i));
    }
    CompletableFuture<Void> callsEnded = new CompletableFuture<>();
    CompletableFuture<Void> drained = store.clusterOperations().drain(callsEnded);
    store.scheduler().advance(Duration.ofSeconds(1));
    assertTrue(store.health().report().whyNotReady().orElse("").contains("drained"));
    assertFalse(drained.isDone(), "it waits for the calls under way");
    store.await(put("late"));
    callsEnded.complete(null);
    store.await(drained);

    CompletionException refused =
        assertThrows(CompletionException.class, () -> store.await(put("too late")));
    assertTrue(refused.getCause() instanceof CoordinationException.NodeNotReady, refused::toString);
    assertEquals(
        0,
        store.operations().families().stream()
            .mapToLong(family -> family.figures().count(FamilyFigure.MEMTABLE_KEYS))
            .sum());
    store.scheduler().shutDown();
    disk.kill();
    open();
    assertTrue(
        store.engine().recoveryReport().startsWith("0 records"), store.engine().recoveryReport());
    assertEquals(21, samples(1).stream().mapToLong(KeySplit::keys).sum());
  }

  @Test
  void aDrainDoesNotWaitForACallThatNeverEnds() {
    CompletableFuture<Void> drained = store.clusterOperations().drain(new CompletableFuture<>());
    store.await(drained);
    CompletableFuture<Void> again = store.clusterOperations().drain(new CompletableFuture<>());
    assertTrue(again.isDone());
    assertFalse(again.isCompletedExceptionally());
  }

  @Test
  void aDrainThatCannotWriteSaysSoAndLosesNothing() throws Exception {
    store.await(put("kept"));
    disk.capacityBytes(disk.usedBytes());
    CompletableFuture<Void> drained =
        store.clusterOperations().drain(CompletableFuture.completedFuture(null));
    assertThrows(CompletionException.class, () -> store.await(drained));
    disk.capacityBytes(Long.MAX_VALUE);
    store.scheduler().shutDown();
    disk.kill();
    open();
    assertEquals(1, samples(1).stream().mapToLong(KeySplit::keys).sum());
  }

  @Test
  void splitsCoverTheRingAndEndInTokensOfKeys() {
    List<RowKey> keys = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      keys.add(store.key("row" + i));
      store.await(put("row" + i));
      if (i == 150) {
        store.await(store.operations().flush(List.of(family())));
      }
    }
    for (TokenRange range :
        List.of(
            new TokenRange(new byte[] {1}, new byte[] {1}),
            new TokenRange(keys.get(7).token(), keys.get(8).token()),
            new TokenRange(keys.get(8).token(), keys.get(7).token()))) {
      List<KeySplit> splits = store.await(splits(range, 50));
      long inRange = keys.stream().filter(key -> range.contains(key.token())).count();
      assertEquals(inRange, splits.stream().mapToLong(KeySplit::keys).sum(), range.toString());
      byte[] at = range.start();
      for (KeySplit split : splits) {
        assertArrayEquals(at, split.range().start());
        long inSplit = keys.stream().filter(key -> split.range().contains(key.token())).count();
        // Samples of memory and files lie side by side, each for a few keys before it.
        assertTrue(Math.abs(inSplit - split.keys()) <= 6, inSplit + " " + split);
        assertTrue(splits.size() == 1 || (inSplit >= 25 && inSplit <= 80), "keys " + inSplit);
        byte[] end = split.range().end();
        assertTrue(
            Arrays.equals(end, range.end())
                || keys.stream().anyMatch(key -> Arrays.equals(key.token(), end)));
        at = end;
      }
      assertArrayEquals(range.end(), at);
    }
  }

  @Test
  void aFamilyWithoutRowsIsOneSplit() {
    List<KeySplit> splits = samples(10);
    assertEquals(1, splits.size());
    assertEquals(0, splits.get(0).keys());
    assertEquals(0, splits.get(0).bytes());
  }

  @Test
  void largeFilesAreCutByTheirIndexAlone() {
    for (int i = 0; i < 12_000; i++) {
      CompletableFuture<AskedReplicas> written = put("row" + i);
      if (i % 100 == 0) {
        store.await(written);
      }
    }
    store.await(store.operations().flush(List.of(family())));
    store.await(store.operations().compact(List.of(family()), progress -> {}));
    long before = store.engine().figures().blockCache().misses();
    List<KeySplit> splits = samples(1_000);
    long blocksRead = store.engine().figures().blockCache().misses() - before;
    assertTrue(blocksRead < 500, "blocks read: " + blocksRead);
    assertTrue(splits.size() >= 10 && splits.size() <= 13, "splits: " + splits.size());
    long keys = splits.stream().mapToLong(KeySplit::keys).sum();
    assertTrue(Math.abs(keys - 12_000) <= 20, "keys: " + keys);
    assertTrue(splits.stream().allMatch(split -> split.bytes() > 0));
  }

  @Test
  void whoWatchesIsAskedToLookUntilTheWatchEnds() {
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    ClusterOperations.Watch watch = store.clusterOperations().watch(looks::incrementAndGet);
    ClusterOperations.Watch other = store.clusterOperations().watch(others::incrementAndGet);
    store.scheduler().advance(Duration.ofSeconds(2));
    watch.end();
    watch.end();
    int seen = looks.get();
    assertTrue(seen >= 3, "looks " + seen);
    store.scheduler().advance(Duration.ofSeconds(2));
    assertEquals(seen, looks.get());
    assertTrue(others.get() > seen, "others " + others);
    other.end();
  }

  @Test
  void aNodeAloneKnowsItself() {
    List<MemberFigures> members = store.clusterOperations().members();
    assertEquals(1, members.size());
    assertEquals(MemberFigures.Liveness.UP, members.get(0).liveness());
    String version = store.schema().current().version();
    assertEquals(
        List.of(new ClusterOperations.KnownSchema(version, List.of("node"))),
        store.clusterOperations().schemaVersions());
    assertEquals(List.of(), store.clusterOperations().hints());
  }

  private List<KeySplit> samples(long keysWanted) {
    return store.await(splits(new TokenRange(new byte[] {1}, new byte[] {1}), keysWanted));
  }

  private CompletableFuture<List<KeySplit>> splits(TokenRange range, long keysWanted) {
    return store.clusterOperations().splits(family(), range, keysWanted);
  }

  private ColumnFamily family() {
    return store.family(KS, "F");
  }

  private CompletableFuture<AskedReplicas> put(String row) {
    byte[] name = {'c'};
    RowUpdate update =
        RowUpdate.builder(family().order())
            .add(Cell.live(name, null, WORDS.getBytes(java.nio.charset.StandardCharsets.UTF_8), 1))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.key(row), List.of(new RowMutation.FamilyUpdate(family(), update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }
}
