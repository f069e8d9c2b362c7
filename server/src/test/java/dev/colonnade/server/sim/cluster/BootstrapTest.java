package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Nodes join a ring that has data, and own nothing before they have it. */
class BootstrapTest extends MembershipScenario {

  @Test
  void aNodeThatJoinsHasItsRowsBeforeItServes() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = add();
    awaitRing(4);
    assertEquals(4, ring().size());
    assertTrue(held(fourth) > 0, "the new node owns rows");
    requireAll("first");
    writeAll("second");
    requireAll("second");
  }

  @Test
  void othersSeeHowFarAJoinIs() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = add();
    Set<String> seen = new LinkedHashSet<>();
    assertTrue(
        world.runUntil(
            () -> {
              String progress = progressSeen(fourth);
              if (!progress.isEmpty()) {
                seen.add(progress);
              }
              return fourth.node().orElseThrow().isStarted() && progress.isEmpty();
            },
            LIMIT),
        () -> "the last that is seen of it is not its end: " + seen);
    assertTrue(
        seen.stream().anyMatch(text -> text.startsWith("waiting, until all nodes send")),
        seen::toString);
  }

  /** What the first node has heard of another node's change. */
  private String progressSeen(Machine<CoreNode> other) {
    String id = other.node().orElseThrow().core().cluster().nodeId();
    return node(0).core().clusterOperations().members().stream()
        .filter(member -> member.nodeId().equals(id))
        .map(member -> member.states().getOrDefault("progress", ""))
        .findFirst()
        .orElse("");
  }

  @Test
  void writesDuringAJoinReachTheNewNode() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(world.runUntil(() -> joining().isPresent(), LIMIT), "the new node announces itself");
    // Until it serves: writes behind the position of the fetch must be there as well.
    int round = 0;
    while (ring().size() < 4) {
      writeAll("second " + round++);
    }
    assertTrue(round > 1, "it took a while");
    awaitRing(4);
    requireAll("second " + (round - 1));
  }

  /** Rows that are on their way when their family is truncated must not come back. */
  @Test
  void whatIsTruncatedDuringAJoinStaysGone() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    fourth.start();
    assertTrue(
        world.runUntil(
            () ->
                fourth.node().orElseThrow().core().engine().claims().stream()
                    .anyMatch(claim -> claim.contains("ingest")),
            LIMIT),
        "rows arrive");
    await(
        world.machines().get(0),
        node ->
            node.core()
                .schema()
                .truncate(families(node).get(0), node.clock().monotonicNanos() + LIMIT.toNanos()));
    assertTrue(world.runUntil(() -> isDecided(fourth), LIMIT), "it joins or fails");
    if (fourth.node().orElseThrow().hasFailed()) {
      fourth.kill();
      world.advance(Duration.ofMinutes(1));
      fourth.start();
    }
    awaitRing(4);
    assertEquals(4, ring().size());
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      assertEquals(
          Optional.empty(),
          await(world.machines().get(0), node -> atAll.read(node, key(row))),
          key(row));
    }
    writeAll("second");
    requireAll("second");
  }

  @Test
  void twoNodesDoNotJoinAtOnce() throws Exception {
    begin(3);
    writeAll("first");
    Machine<CoreNode> fourth = machine(4);
    Machine<CoreNode> fifth = machine(5);
    fourth.start();
    fifth.start();
    assertTrue(
        world.runUntil(() -> isDecided(fourth) && isDecided(fifth), LIMIT), "both hear something");
    Machine<CoreNode> refused = fourth.node().orElseThrow().hasFailed() ? fourth : fifth;
    assertTrue(refused.node().orElseThrow().hasFailed(), "one at least is refused");
    // Because of the joining node that it sees, and not only because both chose one token.
    String refusal = String.valueOf(refused.node().orElseThrow().failedBecause());
    assertTrue(refusal.contains(" is joining"), refusal);
    fourth.kill();
    fifth.kill();
    world.advance(Duration.ofMinutes(1));
    fourth.start();
    awaitRing(4);
    requireAll("first");
  }

  private static boolean isDecided(Machine<CoreNode> machine) {
    CoreNode node = machine.node().orElseThrow();
    return node.hasFailed() || node.isStarted();
  }
}
