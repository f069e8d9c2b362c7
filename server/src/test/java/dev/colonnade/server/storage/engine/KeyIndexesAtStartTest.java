package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A start opens the key index of every file, even if its stages can queue only a few tasks. */
class KeyIndexesAtStartTest {

  private static final EngineSettings SETTINGS = SimulatedStore.TINY;
  private static final int FAMILIES = 4;
  private static final int FILES = 5;

  private static void fill(SimulatedStore store, ColumnFamily family, int from) throws Exception {
    for (int i = from; i < from + 10; i++) {
      RowUpdate update =
          RowUpdate.builder(family.order())
              .add(Cell.live(new byte[] {1}, null, new byte[] {2}, 1))
              .build();
      store.await(
          store
              .engine()
              .write(
                  new Mutation(
                      store.partitioner().rowKey(("row" + i).getBytes(StandardCharsets.UTF_8)),
                      List.of(new Mutation.FamilyMutation(family.id(), update)),
                      0),
                  true));
    }
    store.await(store.engine().flush(family.id()));
  }

  /** Where the key indexes of the open data files are. */
  private static List<String> keyIndexes(SimFileSystem files) {
    return files.openFiles().stream()
        .filter(path -> path.startsWith("keyspaces/K/") && path.endsWith("-Data.db"))
        .map(path -> path.replace("-Data.db", "-Keys.map"))
        .toList();
  }

  private static long existing(SimFileSystem files, List<String> paths) throws IOException {
    long existing = 0;
    for (String path : paths) {
      existing += files.exists(path) ? 1 : 0;
    }
    return existing;
  }

  @Test
  void allAreOpenInTheEndThoughTheStageQueuesTwoTasks() throws Exception {
    SimFileSystem files = new SimFileSystem();
    SimClock clock = new SimClock();
    SimulatedStore store = SimulatedStore.open(files, SETTINGS, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    for (int i = 0; i < FAMILIES; i++) {
      store.await(
          store
              .schema()
              .createFamily(
                  FamilyDefinition.standard("K", "F" + i, "BytesType")
                      .with(FamilyField.MIN_COMPACTION_THRESHOLD, "0")
                      .with(FamilyField.MAX_COMPACTION_THRESHOLD, "0")));
      for (int file = 0; file < FILES; file++) {
        fill(store, store.family("K", "F" + i), file * 10);
      }
    }
    List<String> indexes = keyIndexes(files);
    assertEquals(FAMILIES * FILES, indexes.size());
    assertEquals(FAMILIES * FILES, existing(files, indexes));
    store.close();
    // What is opened later is built again, and can be seen.
    for (String path : indexes) {
      files.delete(path);
    }

    SimScheduler narrow = new SimScheduler(clock, 2);
    store = SimulatedStore.open(files, SETTINGS, clock, Partitioners.RANDOM, narrow);
    narrow.advance(Duration.ofSeconds(10));

    assertEquals(FAMILIES * FILES, existing(files, indexes));
    store.close();
  }
}
