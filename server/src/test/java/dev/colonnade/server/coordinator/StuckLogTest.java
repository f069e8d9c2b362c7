package dev.colonnade.server.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.commitlog.CommitLogSettings;
import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A sync of the commit log does not come back for a minute, in periodic mode. Writes go on until
 * the log needs a segment that is not there yet, then wait in a queue with a bound; nobody blocks.
 */
final class StuckLogTest {

  private static final Duration STUCK = Duration.ofMinutes(1);
  private static final EngineSettings SETTINGS =
      SimulatedStore.TINY
          .withSync(false, Duration.ofSeconds(1))
          .withLog(new CommitLogSettings(64 << 10, 1 << 20, 32 << 20));

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    open(SETTINGS);
  }

  private void open(EngineSettings settings) throws Exception {
    store = SimulatedStore.open(disk, settings, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    family = store.family("K", "F");
  }

  private CompletableFuture<?> write(String row, int bytes) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live("c".getBytes(StandardCharsets.UTF_8), null, new byte[bytes], 1))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.key(row), List.of(new RowMutation.FamilyUpdate(family, update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }

  /** Lets the next sync hang, and does something ten seconds into that. */
  private void whileASyncHangs(Runnable action) {
    assertTrue(write("before", 10).isDone());
    disk.plan().add(FileFault.STALL).on(FileOperation.SYNC).lasting(STUCK).once();
    boolean[] done = new boolean[1];
    store
        .scheduler()
        .after(
            Duration.ofSeconds(10),
            Stage.TIMER,
            () -> {
              assertEquals(1, disk.plan().fired());
              store.scheduler().outside(action);
              done[0] = true;
            });
    store.scheduler().advance(Duration.ofSeconds(30));
    assertEquals(List.of(), store.scheduler().failures());
    assertTrue(done[0]);
    store.guarded().check();
  }

  @Test
  void writesGoOnAtOnceBesideASyncThatHangs() {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    whileASyncHangs(
        () -> {
          for (int i = 0; i < 50; i++) {
            writes.add(write("row" + i, 100));
          }
          assertTrue(writes.stream().allMatch(CompletableFuture::isDone));
        });
    assertEquals(50, writes.size());
  }

  @Test
  void aLargeWriteThatIsHandedOverDoesNotWaitForTheSync() {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    List<Boolean> doneAfterASecond = new ArrayList<>();
    store
        .scheduler()
        .after(
            Duration.ofSeconds(11),
            Stage.TIMER,
            () -> doneAfterASecond.add(writes.get(0).isDone()));
    // It is larger than what an event loop writes, and goes into the segment that is ready.
    whileASyncHangs(() -> writes.add(write("large", 300 << 10)));
    assertEquals(List.of(true), doneAfterASecond);
  }

  @Test
  void withoutANextSegmentWritesWaitInABoundedQueueAndAreMadeInTheEnd() {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    whileASyncHangs(
        () -> {
          while (writes.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
            writes.add(write("row" + writes.size(), 20 << 10));
          }
        });
    CompletableFuture<?> refused = writes.remove(writes.size() - 1);
    assertInstanceOf(
        CoordinationException.Overloaded.class,
        assertThrows(CompletionException.class, refused::join).getCause());
    // Some went into the two segments that were there, the queue took the others.
    assertTrue(writes.get(0).isDone());
    long queued = writes.size() * (20L << 10);
    assertTrue(queued >= SETTINGS.writeQueueBytesMax(), queued + " bytes");
    assertTrue(queued <= SETTINGS.writeQueueBytesMax() + (256 << 10), queued + " bytes");
    store.scheduler().advance(STUCK);
    for (CompletableFuture<?> write : writes) {
      assertTrue(write.isDone());
      write.join();
    }
    assertTrue(store.engine().failure().isEmpty());
  }
}
