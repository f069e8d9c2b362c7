package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.repair.MerkleBuilder;
import dev.colonnade.server.cluster.repair.MerkleSplits;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.FileSettings;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Blocks that clients read all the time stay in memory while a stream or a repair reads everything.
 */
class HotBlocksTest {

  private static final int ROWS = 2_000;
  private static final int HOT_ROWS = 5;
  private static final Slice WHOLE =
      new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);

  @SuppressWarnings("NullAway.Init") // opened before each test
  private SimulatedStore store;

  @SuppressWarnings("NullAway.Init") // made before each test
  private ColumnFamily family;

  @BeforeEach
  void fill() throws Exception {
    // The blocks of the hot rows fit twice, those of all rows not by far.
    store =
        SimulatedStore.open(
            new SimFileSystem(),
            EngineSettingsBuilder.of(SimulatedStore.TINY)
                .withCaches(40 << 10, 20, 0)
                .withSSTables(
                    FileSettings.withKeyIndexMinRows(
                        SSTableSettings.DEFAULT
                            .withBlockBytes(1 << 10, 1 << 10)
                            .withCompression(SSTableSettings.BlockCompression.NONE),
                        Long.MAX_VALUE))
                .build(),
            new SimClock());
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.standard("K", "F", "BytesType")));
    family = store.family("K", "F");
    for (int i = 0; i < ROWS; i++) {
      RowUpdate update =
          RowUpdate.builder(family.order())
              .add(Cell.live(new byte[] {1}, null, new byte[200], 1))
              .build();
      Mutation mutation =
          new Mutation(key(i), List.of(new Mutation.FamilyMutation(family.id(), update)), 0);
      store.await(store.engine().write(mutation, true));
    }
    store.await(store.engine().flush(family.id()));
    store.await(store.engine().compact(family.id(), progress -> {}));
    for (int i = 0; i < 3; i++) {
      readHotRows();
    }
    assertEquals(0, readHotRows(), "the hot rows are in memory");
  }

  @AfterEach
  void close() throws Exception {
    store.close();
  }

  private RowKey key(int number) throws Exception {
    return store.partitioner().rowKey(("row" + number).getBytes(StandardCharsets.UTF_8));
  }

  /** Reads the rows that are always read; how many blocks came from the disk. */
  private long readHotRows() throws Exception {
    long blocks = 0;
    for (int i = 0; i < HOT_ROWS; i++) {
      ReadResponse<RowPage> page =
          store.await(
              store
                  .engine()
                  .read(
                      family.id(),
                      new SliceCommand(
                          key(i), WHOLE, Optional.empty(), 1 << 20, store.clock().wallSeconds()),
                      ListedPages.ROW));
      assertEquals(1, page.result().cells().size());
      blocks += page.figures().blocksFromDisk();
    }
    return blocks;
  }

  @Test
  void aRepairLeavesThemThere() throws Exception {
    TokenRange all = new TokenRange(new byte[] {5}, new byte[] {5});
    MerkleBuilder hashing =
        MerkleBuilder.start(
            store.engine(),
            store.scheduler(),
            family.id(),
            store.await(MerkleSplits.byRows(store.engine(), family.id(), all, 100)),
            store.clock().wallSeconds());
    store.await(hashing.answer());
    assertEquals(ROWS, hashing.rows());
    assertEquals(0, readHotRows());
  }

  @Test
  void aStreamLeavesThemThereAndReadsEachBlockOnce() throws Exception {
    long before = store.engine().figures().blockCache().misses();
    RangeScan scan =
        store.await(
            store
                .engine()
                .scan(
                    family.id(),
                    List.of(new RowSpan(RowKey.firstOf(new byte[0]), Optional.empty()))));
    CompletableFuture<Integer> rows = new CompletableFuture<>();
    assertTrue(store.scheduler().submit(Stage.COMPACTION, () -> readAll(scan, rows)));
    assertEquals(ROWS, store.await(rows));
    long read = store.engine().figures().blockCache().misses() - before;
    assertTrue(read < ROWS, () -> read + " blocks: rows of one block are read from it together");
    assertEquals(0, readHotRows());
  }

  private static void readAll(RangeScan scan, CompletableFuture<Integer> rows) {
    int read = 0;
    try (scan) {
      while (scan.nextRow()) {
        for (Atom atom = scan.nextAtom(); atom != null; atom = scan.nextAtom()) {
          read++;
        }
      }
      rows.complete(read);
    } catch (IOException e) {
      rows.completeExceptionally(e);
    }
  }
}
