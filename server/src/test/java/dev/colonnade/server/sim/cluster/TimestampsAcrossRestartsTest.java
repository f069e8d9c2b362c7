package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TimestampsAcrossRestartsTest extends MembershipScenario {

  @Test
  void aNodeThatIsKilledAndGetsAnEarlierClockGivesOutLaterTimestamps() throws Exception {
    begin(1);
    Machine<CoreNode> machine = world.machines().get(0);
    for (int restart = 0; restart < 5; restart++) {
      long last = 0;
      for (int i = 0; i < 20; i++) {
        last = node(0).core().timestamps().nextMicros();
        world.runUntil(() -> false, Duration.ofMillis(300));
      }
      machine.kill();
      machine.clock().stepWall(Duration.ofMinutes(-10));
      machine.start();
      assertTrue(world.runUntil(this::isStarted, LIMIT), "it starts again");
      long next = node(0).core().timestamps().nextMicros();
      assertTrue(next > last, next + " after " + last + ", restart " + restart);
    }
  }
}
