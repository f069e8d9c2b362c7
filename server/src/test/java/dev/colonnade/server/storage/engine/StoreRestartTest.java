package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one run of a store leaves to the next. */
class StoreRestartTest {

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock);
    if (store.schema().current().keyspace(SweepScript.KEYSPACE).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(SweepScript.KEYSPACE)));
      store.await(
          store
              .schema()
              .createFamily(FamilyDefinition.standard(SweepScript.KEYSPACE, "F", "UTF8Type")));
    }
  }

  @Test
  void theFirstWriteAfterAFlushOfWhatWasReplayedIsNotTakenForFlushed() throws Exception {
    put("before", 1);
    kill();
    open();
    store.await(store.operations().flush(List.of(family())));
    put("first", 2);
    kill();
    open();
    assertEquals(Map.of("row/before", "before", "row/first", "first"), rows());
  }

  @Test
  void theFirstWriteAfterATruncationOfWhatWasReplayedIsNotTakenForTruncated() throws Exception {
    put("before", 1);
    kill();
    open();
    store.await(store.schema().truncate(family(), Long.MAX_VALUE));
    put("first", 2);
    kill();
    open();
    assertEquals(Map.of("row/first", "first"), rows());
  }

  private void kill() {
    store.scheduler().shutDown();
    disk.kill();
  }

  private ColumnFamily family() {
    return store.family(SweepScript.KEYSPACE, "F");
  }

  private Map<String, String> rows() {
    return SweepCheck.contents(store).families().getOrDefault("F", Map.of());
  }

  private void put(String column, long timestamp) {
    byte[] name = column.getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(family().order()).add(Cell.live(name, null, name, timestamp)).build();
    store.await(
        store
            .coordinator()
            .write(
                List.of(
                    new RowMutation(
                        store.key("row"), List.of(new RowMutation.FamilyUpdate(family(), update)))),
                true,
                Consistency.ONE,
                Long.MAX_VALUE));
  }
}
