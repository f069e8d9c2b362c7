package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.sim.FaultPlan;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/**
 * Each operation on a store begins while each other one is half done: before every file operation
 * of that, which then waits for its disk until the one that came later is done or waits for it.
 * After both the store holds what it must, also after a crash, and does what it is asked next.
 *
 * <p>A share of the moments by default; {@code -Dcolonnade.meet.share=1} tries each.
 */
final class OperationsMeetTest {

  private static final int SHARE = Integer.getInteger("colonnade.meet.share", 53);
  private static final Duration STALL = Duration.ofSeconds(20);
  private static final String SENT = "sent";

  /** What can be asked of a store. */
  private enum Operation {
    FLUSH {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.engine().flush(scene.family());
      }
    },
    COMPACT {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.engine().compact(scene.family(), progress -> {});
      }
    },
    CLEAN_UP {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.engine().compact(scene.family(), key -> true, progress -> {});
      }
    },
    SCRUB {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.engine().scrub().request(List.of(scene.family()), report -> {});
      }
    },
    SNAPSHOT {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.takeSnapshot();
      }
    },
    CLEAR_SNAPSHOT {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.engine().snapshots().clear("old");
      }
    },
    TRUNCATE {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        scene.rows.clear();
        return scene.store.schema().truncate(scene.store.family("K", "F"), Long.MAX_VALUE);
      }
    },
    CHANGE_FAMILY {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene
            .store
            .schema()
            .updateFamily(
                FamilyDefinition.standard("K", "F", "UTF8Type")
                    .with(FamilyField.ROWS_CACHED, "0")
                    .with(FamilyField.MIN_COMPACTION_THRESHOLD, 2),
                List.of());
      }
    },
    DROP_ANOTHER_FAMILY {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.schema().dropFamily("K", "G");
      }
    },
    MAKE_FAMILY {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.store.schema().createFamily(FamilyDefinition.standard("K", "H", "UTF8Type"));
      }
    },
    STREAM_OUT {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.sendRows();
      }
    },
    STREAM_IN {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.receiveRow();
      }
    },
    WRITE {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return CompletableFuture.allOf(
            scene.put("b", "overwritten", 50), scene.remove("c", 50), scene.put("n", "new", 50));
      }
    },
    READ {
      @Override
      CompletableFuture<?> begin(Scene scene) {
        return scene.read("a");
      }
    };

    abstract CompletableFuture<?> begin(Scene scene);
  }

  /** A store with rows in three files, in memory and in the row cache, and what it must hold. */
  private static final class Scene {
    private final SimClock clock = new SimClock();
    private final SimFileSystem disk = new SimFileSystem();
    private final SimulatedStore store;
    private final Map<String, String> rows = new TreeMap<>();
    private @Nullable CompletableFuture<SnapshotManifest> snapshot;
    private Map<String, String> atSnapshot = Map.of();

    Scene() throws Exception {
      store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
      store.await(
          store
              .schema()
              .createFamily(
                  FamilyDefinition.standard("K", "F", "UTF8Type")
                      .with(FamilyField.ROWS_CACHED, "100")));
      store.await(store.schema().createFamily(FamilyDefinition.standard("K", "G", "UTF8Type")));
      for (int file = 1; file <= 3; file++) {
        for (String row : List.of("a", "b", "c", "d" + file)) {
          store.await(put(row, row + file, file));
        }
        store.await(remove("d" + (file - 1), file));
        store.await(store.engine().flush(family()));
      }
      store.await(store.engine().snapshots().take(described("old"), List.of(family()), p -> {}));
      for (String row : List.of("a", "e")) {
        store.await(put(row, row + 4, 4));
      }
      for (String row : rows.keySet()) {
        store.await(read(row));
      }
    }

    FamilyId family() {
      return store.family("K", "F").id();
    }

    CompletableFuture<Void> put(String row, String value, long timestamp) {
      rows.put(row, value);
      return write(row, Cell.live(bytes("c"), null, bytes(value), timestamp));
    }

    CompletableFuture<Void> remove(String row, long timestamp) {
      rows.remove(row);
      return write(
          row, Cell.deleted(bytes("c"), null, new DeletionTime(timestamp, clock.wallSeconds())));
    }

    private CompletableFuture<Void> write(String row, Cell cell) {
      ColumnFamily target = store.family("K", "F");
      RowUpdate update = RowUpdate.builder(target.order()).add(cell).build();
      return store
          .engine()
          .write(
              new Mutation(
                  store.key(row),
                  List.of(new Mutation.FamilyMutation(target.id(), update, target.truncation())),
                  clock.wallSeconds()),
              true);
    }

    CompletableFuture<String> read(String row) {
      return read(store, row);
    }

    private static CompletableFuture<String> read(SimulatedStore from, String row) {
      SliceCommand query =
          new SliceCommand(
              from.key(row),
              new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
              Optional.empty(),
              1 << 20,
              from.clock().wallSeconds());
      return from.engine()
          .read(from.family("K", "F").id(), query, ListedPages.ROW)
          .thenApply(
              page ->
                  page.result().cells().stream()
                      .map(OperationsMeetTest::text)
                      .findFirst()
                      .orElse(""));
    }

    private SnapshotManifest described(String name) {
      return new SnapshotManifest(
          name,
          clock.wallMicros(),
          "sim",
          "node",
          store.partitioner().name(),
          List.of(),
          store.schema().current().rows(),
          List.of(),
          List.of(),
          Optional.empty());
    }

    CompletableFuture<?> takeSnapshot() {
      CompletableFuture<SnapshotManifest> taken =
          store.engine().snapshots().take(described("new"), List.of(family()), progress -> {});
      if (snapshot == null) {
        snapshot = taken;
        atSnapshot = Map.copyOf(rows);
      }
      return taken;
    }

    /** Reads all rows as for another node, a row a turn. */
    CompletableFuture<Long> sendRows() {
      return store
          .engine()
          .scan(family(), List.of(new RowSpan(RowKey.firstOf(new byte[0]), Optional.empty())))
          .thenCompose(
              scan -> {
                CompletableFuture<Long> sent = new CompletableFuture<>();
                sendRow(scan, 0, sent);
                return sent;
              });
    }

    private void sendRow(RangeScan scan, long count, CompletableFuture<Long> sent) {
      onStage(
          sent,
          () -> {
            if (scan.nextRow()) {
              while (scan.nextAtom() != null) {}
              sendRow(scan, count + 1, sent);
            } else {
              scan.close();
              sent.complete(count);
            }
          });
    }

    /** Takes a row of another node, in three turns. */
    CompletableFuture<Void> receiveRow() {
      CompletableFuture<Void> received = new CompletableFuture<>();
      onStage(
          received,
          () -> {
            RangeIngest ingest =
                store.engine().ingest(family(), store.engine().truncation(family()));
            onStage(
                received,
                () -> {
                  ingest.startRow(store.key(SENT), DeletionTime.NONE, DeletionTime.NONE);
                  ingest.add(Cell.live(bytes("c"), null, bytes(SENT), 5));
                  ingest.endRow();
                  onStage(
                      received,
                      () ->
                          ingest
                              .finish()
                              .whenComplete(
                                  (done, failure) -> {
                                    onStage(new CompletableFuture<>(), ingest::abandon);
                                    if (failure == null) {
                                      received.complete(null);
                                    } else {
                                      received.completeExceptionally(failure);
                                    }
                                  }));
                });
          });
      return received;
    }

    private void onStage(CompletableFuture<?> outcome, Executable work) {
      assertTrue(
          store
              .scheduler()
              .submit(
                  Stage.COMPACTION,
                  () -> {
                    try {
                      work.execute();
                    } catch (Throwable failure) {
                      outcome.completeExceptionally(failure);
                    }
                  }));
    }
  }

  @TestFactory
  Stream<DynamicTest> eachBeginsWhileEachIsHalfDone() {
    long[] moments = {0};
    Stream<DynamicTest> pairs =
        Stream.of(Operation.values())
            .filter(first -> first != Operation.READ)
            .map(
                first ->
                    DynamicTest.dynamicTest(
                        first.toString(),
                        () -> {
                          for (Operation second : Operation.values()) {
                            moments[0] += meetEverywhere(first, second);
                          }
                        }));
    DynamicTest figures =
        DynamicTest.dynamicTest(
            "enough moments",
            () -> {
              Figures.write(
                  "operations that meet", Map.of("moments", moments[0], "share", (long) SHARE));
              assertTrue(moments[0] > 100, moments[0] + " moments");
            });
    return Stream.concat(pairs, Stream.of(figures));
  }

  private static long meetEverywhere(Operation first, Operation second) throws Exception {
    long all = fileOperations(first);
    long tried = 0;
    // Each pair has other moments, so that all are tried between them.
    long shift = 5L * first.name().length() + second.name().length();
    for (long moment = 1 + shift % SHARE; moment <= all; moment += SHARE) {
      try {
        meet(first, second, moment);
      } catch (Throwable failure) {
        throw new AssertionError(
            second
                + " before file operation "
                + moment
                + " of "
                + all
                + " of "
                + first
                + ": "
                + failure,
            failure);
      }
      tried++;
    }
    return tried;
  }

  private static long fileOperations(Operation operation) throws Exception {
    Scene scene = new Scene();
    FaultPlan.Rule counted = changes(scene).from(Long.MAX_VALUE);
    scene.store.await(operation.begin(scene));
    scene.store.scheduler().runUntilIdle();
    long seen = counted.seen();
    scene.store.close();
    return seen;
  }

  private static void meet(Operation first, Operation second, long moment) throws Exception {
    Scene scene = new Scene();
    SimulatedStore store = scene.store;
    CompletableFuture<CompletableFuture<?>> later = new CompletableFuture<>();
    Runnable begins = () -> later.complete(begun(second, scene));
    scene.disk.stallsWith(
        stall -> {
          if (holdsLock()) {
            // Whoever wants the lock would wait, which the one thread of the simulation cannot.
            var unused = store.scheduler().after(Duration.ZERO, Stage.TIMER, begins);
            return;
          }
          store.scheduler().outside(begins);
          store.scheduler().stall(stall);
        });
    changes(scene).from(moment).once().lasting(STALL);
    CompletableFuture<?> earlier = begun(first, scene);
    store.scheduler().runUntil(() -> earlier.isDone() && later.isDone(), Duration.ofMinutes(5));
    CompletableFuture<?> other = later.join();
    store.scheduler().runUntil(other::isDone, Duration.ofMinutes(5));
    store.scheduler().runUntilIdle();
    outcome(first, second, earlier);
    outcome(second, first, other);
    check(scene, first, second);
    // What comes next.
    store.await(scene.put("a", "last", 90));
    store.await(scene.put("z", "last", 90));
    store.await(store.engine().flush(scene.family()));
    store.await(store.engine().compact(scene.family(), progress -> {}));
    check(scene, first, second);
    store.close();
  }

  /** Operations that change something: reads of one thread share its buffers. */
  private static FaultPlan.Rule changes(Scene scene) {
    return scene
        .disk
        .plan()
        .add(FileFault.STALL)
        .on(
            FileOperation.CREATE,
            Stream.of(FileOperation.values())
                .filter(FileOperation::isChanging)
                .toArray(FileOperation[]::new));
  }

  /** Whether the code of the store that waits for the disk holds a lock meanwhile. */
  private static boolean holdsLock() {
    ThreadInfo[] threads =
        ManagementFactory.getThreadMXBean()
            .getThreadInfo(new long[] {Thread.currentThread().getId()}, true, true);
    return Stream.of(threads[0].getLockedMonitors())
            .map(LockInfo::getClassName)
            .anyMatch(
                name ->
                    name.startsWith("dev.colonnade.server.")
                        && !name.startsWith("dev.colonnade.server.sim."))
        || threads[0].getLockedSynchronizers().length > 0;
  }

  private static CompletableFuture<?> begun(Operation operation, Scene scene) {
    try {
      return operation.begin(scene);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Nothing is refused but what cannot be done beside the other. */
  private static void outcome(Operation operation, Operation other, CompletableFuture<?> future) {
    if (!future.isCompletedExceptionally()) {
      return;
    }
    Throwable failure = future.handle((done, thrown) -> Errors.unwrap(thrown)).join();
    boolean refused =
        switch (operation) {
          case SCRUB -> other == operation && failure instanceof OverloadedException;
          case SNAPSHOT ->
              failure instanceof OverloadedException
                  || (other == operation && failure instanceof SnapshotRefusedException);
          case CLEAR_SNAPSHOT ->
              failure instanceof OverloadedException
                  || (other == operation && failure instanceof SnapshotRefusedException);
          case WRITE ->
              other == Operation.TRUNCATE && failure instanceof TruncationPendingException;
          case DROP_ANOTHER_FAMILY, MAKE_FAMILY -> other == operation;
          case STREAM_IN -> other == Operation.TRUNCATE && failure instanceof StoreStoppedException;
          default -> false;
        };
    if (!refused) {
      throw new AssertionError(operation + " failed", failure);
    }
  }

  private static void check(Scene scene, Operation first, Operation second) throws Exception {
    SimulatedStore store = scene.store;
    store.guarded().check();
    assertEquals(List.of(), store.scheduler().failures(), "no task fails");
    assertEquals(List.of(), store.engine().claims(), "nothing is held");
    Map<String, String> found = content(store);
    Map<String, String> expected = expected(scene, first, second, found);
    assertEquals(expected, found, "what is read");
    assertEquals(expected, content(store), "what is read again, now cached");
    SimulatedStore again =
        SimulatedStore.open(scene.disk.crashClone(), SimulatedStore.TINY, scene.clock);
    assertEquals(expected, content(again), "what is read after a crash");
    again.scheduler().shutDown();
    CompletableFuture<SnapshotManifest> snapshot = scene.snapshot;
    if (snapshot != null
        && !snapshot.isCompletedExceptionally()
        && !open(first, second).contains("a")) {
      Map<String, String> kept = new TreeMap<>();
      SnapshotsTest.newest(scene.disk, "new")
          .forEach((row, cell) -> kept.put(row, cell.isLiveAt(0) ? text(cell) : ""));
      Map<String, String> wanted = new TreeMap<>(scene.atSnapshot);
      // What was written while the snapshot was taken may be in it.
      open(first, second).forEach(wanted::remove);
      wanted.keySet().removeAll(List.of("n", SENT));
      kept.keySet().removeAll(open(first, second));
      kept.values().removeIf(String::isEmpty);
      kept.keySet().removeAll(List.of("n", SENT));
      assertEquals(wanted, kept, "the snapshot");
    }
  }

  private static Map<String, String> expected(
      Scene scene, Operation first, Operation second, Map<String, String> found) {
    Map<String, String> expected = new TreeMap<>(scene.rows);
    if (first == Operation.STREAM_IN || second == Operation.STREAM_IN) {
      expected.put(SENT, SENT);
    }
    if (first == Operation.TRUNCATE || second == Operation.TRUNCATE) {
      // Whether something comes before or after a truncation is open while both are under way.
      for (String row : List.of("b", "c", "n", SENT)) {
        expected.remove(row);
        if (found.containsKey(row)) {
          expected.put(row, found.get(row));
        }
      }
    }
    return expected;
  }

  /** Rows of which a snapshot may have more than was there when it began. */
  private static List<String> open(Operation first, Operation second) {
    List<Operation> both = List.of(first, second);
    return both.contains(Operation.TRUNCATE)
        ? List.of("a", "b", "c", "d3", "e")
        : both.contains(Operation.WRITE) ? List.of("b", "c") : List.of();
  }

  private static Map<String, String> content(SimulatedStore store) {
    Map<String, String> content = new TreeMap<>();
    for (String row : List.of("a", "b", "c", "d1", "d2", "d3", "e", "n", "z", SENT)) {
      String value = store.await(Scene.read(store, row));
      if (!value.isEmpty()) {
        content.put(row, value);
      }
    }
    return content;
  }

  private static String text(Cell cell) {
    return new String(cell.value(), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
