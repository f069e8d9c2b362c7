package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The set of live files where its changes meet: a compaction and a quarantine, rows of another node
 * and a truncation, any of them and a failing disk.
 */
final class LiveFileSetTest {

  /** Without caches, so that damage is found, and with compactions of many steps. */
  private static final EngineSettings ROOMY =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withLog(CommitLogSettings.defaults())
          .withCaches(0, 0, 0)
          .withOffHeapBlockCacheBytes(0)
          .withSteps(new WorkSteps(50_000, 2_000, 16, 20_000))
          .build();

  private static final int ROWS = 200;

  private final SimClock clock = new SimClock();
  private SimFileSystem disk = new SimFileSystem();
  private StoreScript store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    store = StoreScript.open(disk, ROOMY, clock);
    family = store.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
  }

  /** The store after its process ended without warning. */
  private void killed() throws Exception {
    store = store.killed();
    family = store.family("F");
  }

  private String directory() {
    return "keyspaces/K/F-" + family.id();
  }

  private List<String> files() {
    try {
      return disk.list(directory());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> dataFiles() {
    return files().stream().filter(name -> name.endsWith("-Data.db")).toList();
  }

  private static String row(int number) {
    return "row" + number;
  }

  /** A file with a column of every row, which does not shrink when it is compressed. */
  private void file(String column) {
    Rng rng = new Rng(new SeededRandom(column.hashCode()));
    for (int i = 0; i < ROWS; i++) {
      StringBuilder value = new StringBuilder(column);
      for (int at = 0; at < 60; at++) {
        value.append((char) ('a' + rng.between(0, 25)));
      }
      store.put(family, row(i), column, value.toString(), 1);
    }
    store.flush(family);
  }

  private boolean isRefused(int number) {
    CompletableFuture<?> page = store.page(family, row(number));
    store.store().scheduler().runUntil(page::isDone, Duration.ofMinutes(1));
    return page.isCompletedExceptionally();
  }

  /** How many rows are refused because they may lack what the damaged file held. */
  private int refused() {
    int refused = 0;
    for (int i = 0; i < ROWS; i++) {
      refused += isRefused(i) ? 1 : 0;
    }
    return refused;
  }

  /**
   * The output of the compaction has the content of the damaged file, but a file in quarantine
   * stays missing until an operator restores it or accepts the loss: one set decides which it is.
   */
  @Test
  void theOutputOfACompactionIsDiscardedIfAnInputWasQuarantinedMeanwhile() throws Exception {
    file("first");
    file("second");
    CompletableFuture<Void> compaction = store.store().engine().compact(family.id(), told -> {});
    store
        .store()
        .scheduler()
        .runUntil(
            () -> files().stream().anyMatch(name -> name.startsWith("000000000003")),
            Duration.ofMinutes(1));
    assertEquals(2, dataFiles().size(), "it has begun to write, and is not done");
    assertFalse(compaction.isDone());
    String damaged = dataFiles().get(0);
    byte[] content = disk.content(directory() + "/" + damaged);
    for (int at = 100; at < content.length; at += 500) {
      disk.flipBit(directory() + "/" + damaged, 8L * at);
    }
    assertTrue(isRefused(0), "the read finds the damage");
    store.store().scheduler().advance(Duration.ofMinutes(1));

    for (int starts = 0; starts < 2; starts++) {
      assertEquals(1, dataFiles().size(), dataFiles()::toString);
      assertFalse(dataFiles().contains(damaged));
      assertEquals(ROWS, refused());
      killed();
    }
    assertTrue(store.store().await(store.store().engine().acceptLoss(family.id(), 1)));
    for (int i = 0; i < ROWS; i++) {
      assertTrue(store.row(family, row(i)).startsWith("second="), row(i));
    }
  }

  /** Work of a stage that may wait for the disk. */
  private interface DiskWork {
    void run() throws IOException;
  }

  private void onStage(DiskWork work) {
    store
        .store()
        .scheduler()
        .submit(
            Stage.COMPACTION,
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    store.store().scheduler().runUntilIdle();
  }

  /** A row of another node has arrived, and is not live yet. */
  private RangeIngest ingest() {
    List<RangeIngest> begun = new ArrayList<>();
    StorageEngine engine = store.store().engine();
    onStage(
        () -> {
          RangeIngest ingest = engine.ingest(family.id(), engine.truncation(family.id()));
          ingest.startRow(store.store().key("sent"), DeletionTime.NONE, DeletionTime.NONE);
          ingest.add(Cell.live(StoreScript.bytes("c"), null, StoreScript.bytes("of another"), 5));
          ingest.endRow();
          begun.add(ingest);
        });
    return begun.get(0);
  }

  /** Makes the row live; what could not be completed is abandoned. */
  private CompletableFuture<Void> finish(RangeIngest ingest) {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    onStage(
        () -> {
          try {
            Then.whenDone(
                ingest.finish(),
                (done, failure) -> {
                  if (failure == null) {
                    outcome.complete(null);
                  } else {
                    outcome.completeExceptionally(failure);
                  }
                });
          } catch (IOException e) {
            outcome.completeExceptionally(e);
          } finally {
            ingest.abandon();
          }
        });
    return outcome;
  }

  @Test
  void rowsThatWereSentBeforeATruncationDoNotBecomeLiveAfterIt() throws Exception {
    store.put(family, "own", "c", "v", 1);
    RangeIngest ingest = ingest();
    store.truncate(family);
    CompletionException refusal = assertThrows(CompletionException.class, finish(ingest)::join);
    assertInstanceOf(StoreStoppedException.class, refusal.getCause());
    store.store().scheduler().runUntilIdle();
    assertEquals(List.of(), dataFiles());
    assertEquals(
        List.of(), disk.openFiles().stream().filter(path -> path.contains("/F-")).toList());
    assertEquals("", store.row(family, "sent"));
    killed();
    assertEquals("", store.row(family, "sent") + store.row(family, "own"));
  }

  /** The manifest may name a file although writing the manifest failed: then the file must stay. */
  @Test
  void whateverOperationFailsWhileRowsBecomeLiveTheyAreThereAsAWholeOrNotAtAll() throws Exception {
    int succeeded = 0;
    int brokenButThere = 0;
    for (int operation = 0; succeeded < 2; operation++) {
      assertTrue(operation < 200, "an ingest has no end");
      disk = new SimFileSystem();
      open();
      store.put(family, "own", "c", "v", 1);
      store.flush(family);
      RangeIngest ingest = ingest();
      disk.failAt(disk.operations() + operation);
      CompletableFuture<Void> sent = finish(ingest);
      disk.failAt(-1);
      assertTrue(sent.isDone(), "operation " + operation);
      boolean acknowledged = !sent.isCompletedExceptionally();
      succeeded += acknowledged ? 1 : 0;
      killed();
      assertEquals("c=v", store.row(family, "own"), "operation " + operation);
      String row = store.row(family, "sent");
      assertTrue(row.equals("c=of another") || (row.isEmpty() && !acknowledged), row);
      brokenButThere += !acknowledged && !row.isEmpty() ? 1 : 0;
      assertEquals(row.isEmpty() ? 1 : 2, dataFiles().size(), "operation " + operation);
    }
    assertTrue(brokenButThere > 0, "no failure left the manifest with the new file");
  }
}
