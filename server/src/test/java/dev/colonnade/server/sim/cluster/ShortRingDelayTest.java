package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Changes of a ring whose nodes wait for gossip for a second only, as on one machine. */
class ShortRingDelayTest extends MembershipScenario {

  ShortRingDelayTest() {
    super(MembershipSettings.DEFAULT.withRingDelay(Duration.ofSeconds(1)));
  }

  /**
   * A node that does not know a family yet would fetch nothing of it, and own its ranges
   * nevertheless.
   */
  @Test
  void aNodeThatJoinsKnowsTheSchemaBeforeItFetches() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = add();
    awaitRing(4);
    assertTrue(held(fourth) > 0, "the new node owns rows");
    requireAll("first");
  }
}
