package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a store knows after it was stopped and opened again. */
class RestartTest {

  private static final EngineSettings PERIODIC =
      EngineSettingsBuilder.of(SimulatedStore.TINY).withSync(false, Duration.ofSeconds(1)).build();

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();

  @Test
  void theFirstWriteAfterAFlushOfWhatWasReplayedIsReplayedToo() throws Exception {
    StoreScript first = StoreScript.open(disk, PERIODIC, clock);
    ColumnFamily family = first.create(FamilyDefinition.standard("K", "F", "UTF8Type"));
    first.put(family, "row", "a", "before", 1);
    StoreScript second = first.killed();
    // The log of this run is empty yet, so the position that the flush covers is where it begins.
    second.flush(second.family("F"));
    second.put(second.family("F"), "row", "b", "after", 2);
    StoreScript third = second.killed();
    assertEquals("a=before b=after", third.row(third.family("F"), "row"));
  }

  @Test
  void whatWasDroppedIsNotMadeAgainByAFileHoweverLateItComes() throws Exception {
    KeyspaceDefinition configured = KeyspaceDefinition.of("Configured");
    StoreScript first = StoreScript.open(disk, PERIODIC, clock);
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
