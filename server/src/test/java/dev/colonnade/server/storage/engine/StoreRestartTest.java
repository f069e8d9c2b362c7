package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one run of a store leaves to the next. */
class StoreRestartTest {
  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private EngineSettings settings = SimulatedStore.TINY;
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, settings, clock);
    if (store.schema().current().keyspace(SweepScript.KEYSPACE).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(SweepScript.KEYSPACE)));
      store.await(
          store
              .schema()
              .createFamily(FamilyDefinition.standard(SweepScript.KEYSPACE, "F", "UTF8Type")));
    }
  }

  @Test
  void aStopLeavesNothingToReplayHoweverMuchOrLittleThereWas() throws Exception {
    int columns = fillMemtable();
    store.close();
    open();
    assertTrue(
        store.engine().recoveryReport().startsWith("0 records"), store.engine().recoveryReport());
    assertEquals(columns, rows().size());
    put("after", 2);
    store.close();
    open();
    assertTrue(
        store.engine().recoveryReport().startsWith("0 records"), store.engine().recoveryReport());
    assertEquals(columns + 1, rows().size());
  }

  /** Each segment of the log is kept while one family has one column in it that is in no file. */
  @Test
  void aQuietFamilyDoesNotHaveTheLogOfABusyOneReadAgain() throws Exception {
    store.await(
        store
            .schema()
            .createFamily(FamilyDefinition.standard(SweepScript.KEYSPACE, "Quiet", "UTF8Type")));
    byte[] name = {'q'};
    store.await(
        store
            .engine()
            .write(
                new Mutation(
                    store.key("row"),
                    List.of(
                        new Mutation.FamilyMutation(
                            store.family(SweepScript.KEYSPACE, "Quiet").id(),
                            RowUpdate.builder(family().order())
                                .add(Cell.live(name, null, name, 1))
                                .build())),
                    clock.wallSeconds()),
                true));
    for (int i = 0; i < 500; i++) {
      put("busy" + i, 1);
      if (i % 100 == 99) {
        store.await(store.operations().flush(List.of(family())));
      }
    }
    String killed = SimulatedStore.open(disk.copy(), settings, clock).engine().recoveryReport();
    assertFalse(killed.startsWith("0 records"), "a node that is killed reads the log");
    store.close();
    open();
    assertTrue(
        store.engine().recoveryReport().startsWith("0 records"), store.engine().recoveryReport());
    assertEquals(500, rows().size());
  }

  @Test
  void aStopSucceedsThoughNoFileCanBeWritten() throws Exception {
    int columns = fillMemtable();
    disk.plan().add(FileFault.ERROR).where(path -> path.contains("-Data.db"));
    store.close();
    disk.plan().clear();
    open();
    assertEquals(columns, rows().size());
  }

  @Test
  void aStartDeletesFilesThatAreInNoLiveSet() throws Exception {
    put("column", 1);
    store.await(store.operations().flush(List.of(family())));
    store.close();
    String keyspace = "keyspaces/" + SweepScript.KEYSPACE;
    String directory = keyspace + "/" + disk.list(keyspace).get(0);
    String live =
        disk.list(directory).stream().filter(name -> name.endsWith("-Data.db")).findFirst().get();
    String stray = live.replaceFirst("^\\d+", "000000000777");
    disk.overwrite(directory + "/" + stray, disk.content(directory + "/" + live));
    disk.overwrite(directory + "/" + stray + ".tmp", new byte[10]);
    open();
    assertTrue(disk.exists(directory + "/" + live));
    assertFalse(disk.exists(directory + "/" + stray), disk.list(directory)::toString);
    assertFalse(disk.exists(directory + "/" + stray + ".tmp"), disk.list(directory)::toString);
    assertEquals(Map.of("row/column", "column"), rows());
  }

  /** Such a write waits behind the sync of one before it, and is in memory alone. */
  @Test
  void aStopKeepsAcceptedWritesThatAreNotInTheLog() throws Exception {
    CompletableFuture<Void> first = write("logged", true);
    CompletableFuture<Void> second = write("in memory", false);
    assertFalse(second.isDone(), "it must still wait when the store is stopped");
    store.close();
    assertTrue(first.isDone() && !second.isCompletedExceptionally());
    open();
    assertEquals(Map.of("row/logged", "logged", "row/in memory", "in memory"), rows());
  }

  /** So a batch whose answer was lost is sent again, whatever was written in between. */
  @Test
  void aBatchThatIsRepeatedWithItsTimestampsChangesNothing() throws Exception {
    put("gone", 1);
    put("replaced", 3);
    Cell kept = Cell.live(bytes("kept"), null, bytes("kept"), 5);
    Cell replaced = Cell.live(bytes("replaced"), null, bytes("of the batch"), 5);
    Cell deleted = Cell.deleted(bytes("gone"), null, new DeletionTime(5, clock.wallSeconds()));
    RowUpdate update =
        RowUpdate.builder(family().order()).add(kept).add(replaced).add(deleted).build();
    Mutation batch =
        new Mutation(
            store.key("row"),
            List.of(new Mutation.FamilyMutation(family().id(), update)),
            clock.wallSeconds());
    store.await(store.engine().write(batch, true));
    put("replaced", 6);
    put("gone", 6);
    Map<String, String> after = rows();
    assertEquals(Map.of("row/kept", "kept", "row/replaced", "replaced", "row/gone", "gone"), after);
    store.await(store.engine().write(batch, true));
    assertEquals(after, rows(), "over what is in memory");
    store.close();
    open();
    store.await(store.engine().write(batch, true));
    assertEquals(after, rows(), "over what is in files");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private CompletableFuture<Void> write(String column, boolean durable) throws Exception {
    byte[] name = column.getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(family().order()).add(Cell.live(name, null, name, 1)).build();
    Mutation mutation =
        new Mutation(
            store.key("row"),
            List.of(new Mutation.FamilyMutation(family().id(), update)),
            clock.wallSeconds());
    return store.engine().write(mutation, durable);
  }

  /** Writes so much that a stop does not leave it to the log, and returns how many columns. */
  private int fillMemtable() throws Exception {
    store.close();
    settings =
        EngineSettingsBuilder.of(settings)
            .withLog(new CommitLogSettings(1 << 20, 64 << 20, 1 << 20))
            .build();
    open();
    byte[] large = new byte[64 << 10];
    int columns = (int) (settings.memtableBytesMax() / 8 / large.length) + 2;
    for (int i = 0; i < columns; i++) {
      put("c" + i, large, 1);
    }
    return columns;
  }

  private ColumnFamily family() {
    return store.family(SweepScript.KEYSPACE, "F");
  }

  private Map<String, String> rows() {
    return SweepCheck.contents(store).families().getOrDefault("F", Map.of());
  }

  private void put(String column, long timestamp) {
    put(column, column.getBytes(StandardCharsets.UTF_8), timestamp);
  }

  private void put(String column, byte[] value, long timestamp) {
    byte[] name = column.getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(family().order()).add(Cell.live(name, null, value, timestamp)).build();
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

  @Test
  void whatWasDroppedIsNotMadeAgainByAFileHoweverLateItComes() throws Exception {
    KeyspaceDefinition configured = KeyspaceDefinition.of("Configured");
    StoreScript first = StoreScript.open(new SimFileSystem(), settings, clock);
    first.store().await(first.store().schema().createConfigured(configured));
    first.store().await(first.store().schema().dropKeyspace("Configured"));
    first.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    first.drop("F");
    String version = first.store().schema().current().version();
    StoreScript later = first.restarted();
    clock.stepWall(Duration.ofDays(4_000));
    later.store().await(later.store().schema().createKeyspace(KeyspaceDefinition.of("L")));
    later.store().await(later.store().schema().dropKeyspace("L"));
    clock.stepWall(Duration.ofDays(4_000));
    later.compact(SystemKeyspace.SCHEMA);
    String before = later.store().schema().current().version();
    StoreScript last = later.restarted();
    assertNotEquals(version, before);
    assertEquals(before, last.store().schema().current().version());
    last.store().await(last.store().schema().createConfigured(configured));
    assertEquals(Optional.empty(), last.store().schema().current().keyspace("Configured"));
  }
}
