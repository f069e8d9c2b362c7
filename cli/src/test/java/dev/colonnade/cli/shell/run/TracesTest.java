package dev.colonnade.cli.shell.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.TraceEvent;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TracesTest {

  private static final String ID = "0af7651916cd43dd8448eb211c80319c";

  private static CallStatistics cost(List<TraceEvent> events, int dropped) {
    return new CallStatistics(
        "n1",
        List.of("n1"),
        List.of("n1"),
        0,
        0,
        0,
        0,
        0,
        Duration.ofMillis(2),
        0,
        0,
        0,
        new CallStatistics.Trace(ID, events, dropped));
  }

  @Test
  void eachHeaderHasRandomIdsInTheFormOfTheW3c() {
    Iterator<UUID> ids =
        List.of(
                UUID.fromString("0af76519-16cd-43dd-8448-eb211c80319c"),
                UUID.fromString("b7ad6b71-6920-4331-8000-000000000000"))
            .iterator();
    assertEquals("00-" + ID + "-b7ad6b7169204331-01", Traces.sampled(ids::next));
  }

  @Test
  void aTraceIsATableForPeopleAndObjectsForPrograms() {
    TraceEvent event =
        new TraceEvent(
            TraceEvent.Step.REPLICA_ANSWERED,
            Duration.ofNanos(1_500_000),
            Duration.ofNanos(1_250_000),
            "860bfd9783958a919b521e7cdffd1c75",
            "n2",
            "words");
    Listing table = Traces.table(cost(List.of(event), 3));
    assertEquals(
        List.of(
            List.of("0.000", "", "trace", "n1", "", ID),
            List.of("1.500", "1.250", "replica answered", "860bfd97", "n2", "words"),
            List.of("", "", "and 3 more events", "", "", "")),
        table.lines());
    assertEquals(
        List.of(
            Map.of(
                "trace_id",
                ID,
                "at_micros",
                1_500L,
                "took_micros",
                1_250L,
                "event",
                "replica_answered",
                "node",
                "860bfd9783958a919b521e7cdffd1c75",
                "about",
                "n2",
                "detail",
                "words")),
        table.items());
  }
}
