package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.sim.Machine;
import org.junit.jupiter.api.Test;

/** Nodes with eight tokens each join and leave. */
class SeveralTokensTest extends MembershipScenario {

  private static final int TOKENS = 8;

  SeveralTokensTest() {
    super(TOKENS);
  }

  @Test
  void nodesWithEightTokensJoinLeaveAndCleanUp() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = add();
    awaitRing(4);
    for (RingNode node : node(0).core().cluster().topology().ring().nodes()) {
      assertEquals(TOKENS, node.tokens().size(), node.address());
    }
    requireAll("first");
    writeAll("second");
    for (Machine<CoreNode> machine : world.machines()) {
      await(machine, node -> node.core().cleanUp(families(node), progress -> {}));
    }
    requireAll("second");
    Machine<CoreNode> second = world.machines().get(1);
    second.powerCut();
    second.start();
    awaitRing(4);
    String refusal = failure(fourth, node -> node.core().membership().loadBalance(progress -> {}));
    assertTrue(refusal.contains("8 tokens"), refusal);
    await(fourth, node -> node.core().membership().decommission(false, progress -> {}));
    awaitRing(3);
    fourth.kill();
    requireRead("second");
  }
}
