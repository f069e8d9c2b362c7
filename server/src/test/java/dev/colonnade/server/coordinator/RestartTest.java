package dev.colonnade.server.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a store knows after it was ended and opened again. */
class RestartTest {

  private static final EngineSettings PERIODIC =
      SimulatedStore.TINY.withSync(false, Duration.ofSeconds(1));

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
}
