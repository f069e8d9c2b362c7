package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipSettings;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two changes of the ring that are announced before either node has heard of the other one: one
 * goes on, the other is undone, and its operator learns why.
 */
final class RingChangesAtOnceTest extends MembershipScenario {

  private static final Duration RING_DELAY = Duration.ofSeconds(5);

  /** After this time written data is on disk. */
  private static final Duration SYNCED = Duration.ofSeconds(15);

  private static final int NODES = 6;
  private static final List<Integer> OFFSETS_MILLIS = List.of(0, 100, 250, 500);

  /** The kinds of changes. */
  private enum Kind {
    LEAVE,
    MOVE,
    REMOVE,
    JOIN,
    REPLACE;

    /** Whether a new node makes it, as it starts. */
    boolean isStart() {
      return this == JOIN || this == REPLACE;
    }

    /** Whether it is about a node that is dead. */
    boolean isOfDead() {
      return this == REMOVE || this == REPLACE;
    }
  }

  RingChangesAtOnceTest() {
    super(
        new MembershipSettings(
            RING_DELAY,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            3,
            Duration.ofHours(1)));
  }

  /** A change that a machine makes. */
  private final class Change {
    private final Kind kind;
    private final Machine<CoreNode> machine;
    private boolean done;
    private @Nullable Throwable failure;

    Change(Kind kind, Machine<CoreNode> machine) {
      this.kind = kind;
      this.machine = machine;
    }

    void begin() throws Exception {
      done = false;
      failure = null;
      if (kind.isStart()) {
        machine.start();
        return;
      }
      machine.<Void>call(
          node ->
              switch (kind) {
                case LEAVE -> node.core().membership().decommission(false, told -> {});
                case MOVE -> node.core().membership().move(besideItself(node), told -> {});
                case REMOVE -> node.core().membership().remove(dead, false, told -> {});
                case JOIN, REPLACE -> throw new AssertionError(kind);
              },
          (nothing, thrown) -> {
            done = true;
            failure = thrown;
          });
    }

    boolean isAnnounced() {
      return machine.node().isPresent()
          && node().core().cluster().topology().places().stream()
              .anyMatch(
                  place ->
                      place.node().id().equals(id())
                          && place.state() == Topology.RingState.JOINING);
    }

    boolean isOver() {
      return kind.isStart() ? node().hasFailed() || node().isStarted() : done;
    }

    /** Why it was not made; empty if it was. */
    String failure() {
      if (kind.isStart()) {
        return node().failedBecause();
      }
      Throwable thrown = failure;
      while (thrown != null
          && thrown.getCause() != null
          && !(thrown instanceof MembershipException)) {
        thrown = thrown.getCause();
      }
      return thrown == null ? "" : String.valueOf(thrown.getMessage());
    }

    private CoreNode node() {
      return machine.node().orElseThrow();
    }

    String id() {
      return node().core().cluster().nodeId();
    }
  }

  private String dead = "";

  private static byte[] besideItself(CoreNode node) {
    byte[] token = node.core().cluster().topology().self().tokens().get(0).clone();
    token[token.length - 1] ^= 1;
    return token;
  }

  /** The machines in the order of their tokens; the first machine, which reads and writes, last. */
  private List<Machine<CoreNode>> byToken() {
    List<String> ids =
        node(0).core().cluster().topology().ring().nodes().stream()
            .sorted(
                Comparator.comparing(
                    (RingNode node) -> node.tokens().get(0), Arrays::compareUnsigned))
            .map(RingNode::id)
            .toList();
    List<Machine<CoreNode>> sorted = new ArrayList<>(world.machines());
    sorted.sort(
        Comparator.comparingInt(
            machine -> ids.indexOf(machine.node().orElseThrow().core().cluster().nodeId())));
    Collections.rotate(sorted, sorted.size() - 1 - sorted.indexOf(world.machines().get(0)));
    return sorted;
  }

  /** Makes the cluster, and the changes that begin nothing yet. */
  private List<Change> prepare(Kind first, Kind second) throws Exception {
    begin(NODES);
    writeAll("first");
    List<Machine<CoreNode>> places = byToken();
    if (first.isOfDead() || second.isOfDead()) {
      // Far from those that change their places, so that it would get none of their rows.
      Machine<CoreNode> machine = places.get(4);
      dead = machine.node().orElseThrow().core().cluster().nodeId();
      world.advance(SYNCED);
      machine.powerCut();
      assertTrue(
          world.runUntil(
              () ->
                  world.machines().stream()
                      .filter(each -> each.state() == Machine.State.RUNNING)
                      .noneMatch(
                          each ->
                              each.node().orElseThrow().core().cluster().topology().isAlive(dead)),
              LIMIT),
          "all find it down");
    }
    List<Change> changes = new ArrayList<>();
    int place = 0;
    for (Kind kind : List.of(first, second)) {
      Machine<CoreNode> machine;
      if (kind.isStart()) {
        int number = world.machines().size() + 1;
        if (kind == Kind.REPLACE) {
          replaced.put("n" + number, dead);
        }
        machine = machine(number);
      } else {
        machine = places.get(place++);
      }
      changes.add(new Change(kind, machine));
    }
    return changes;
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }

  /**
   * How long after its start a new node announces itself, in a world that is the same until then.
   */
  private static long leadNanos(Kind first, Kind second) throws Exception {
    RingChangesAtOnceTest rehearsal = new RingChangesAtOnceTest();
    Change starting = rehearsal.prepare(first, second).get(1);
    long begun = rehearsal.world.clock().monotonicNanos();
    starting.begin();
    assertTrue(rehearsal.world.runUntil(starting::isAnnounced, LIMIT), "it announces itself");
    return rehearsal.world.clock().monotonicNanos() - begun;
  }

  private void beginBoth(Change first, Change second, Duration offset) throws Exception {
    if (!first.kind.isStart() && second.kind.isStart()) {
      long lead = leadNanos(first.kind, second.kind);
      second.begin();
      world.advance(Duration.ofNanos(lead).minus(offset));
      first.begin();
      return;
    }
    first.begin();
    if (first.kind.isStart() && !second.kind.isStart()) {
      assertTrue(world.runUntil(first::isAnnounced, LIMIT), "it announces itself");
    }
    world.advance(offset);
    second.begin();
  }

  static Stream<Arguments> pairs() {
    List<Arguments> pairs = new ArrayList<>();
    for (Kind first : Kind.values()) {
      for (Kind second : Kind.values()) {
        for (int offset : OFFSETS_MILLIS) {
          pairs.add(Arguments.of(first, second, offset));
        }
      }
    }
    return pairs.stream();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void oneGoesOnAndTheOtherIsUndoneAndToldWhy(Kind first, Kind second, int offsetMillis)
      throws Exception {
    List<Change> changes = prepare(first, second);
    beginBoth(changes.get(0), changes.get(1), millis(offsetMillis));
    assertTrue(
        world.runUntil(() -> changes.stream().allMatch(Change::isOver), LIMIT), "both are over");
    List<Change> undone = changes.stream().filter(change -> !change.failure().isEmpty()).toList();
    assertEquals(1, undone.size(), () -> "" + changes.stream().map(Change::failure).toList());
    Change loser = undone.get(0);
    Change winner = changes.get(loser == changes.get(0) ? 1 : 0);
    String why = loser.failure();
    assertTrue(why.contains(winner.id()), why);
    assertTrue(why.toLowerCase(Locale.ROOT).contains("one change at a time"), why);
    assertTrue(why.contains("undone") || offsetMillis > 0, why);
    assertTrue(
        !why.contains("undone") || winner.id().compareTo(loser.id()) < 0, "the smaller id goes on");
    if (!(first.isOfDead() && second.isOfDead())) {
      again(loser);
    } else if (loser.kind.isStart()) {
      loser.machine.kill();
    }
    int size = NODES;
    for (Change change : changes) {
      boolean counts = change == winner || !(first.isOfDead() && second.isOfDead());
      size +=
          !counts
              ? 0
              : switch (change.kind) {
                case LEAVE, REMOVE -> -1;
                case JOIN -> 1;
                case MOVE, REPLACE -> 0;
              };
    }
    awaitRing(size);
    requireAll("first");
    writeAll("second");
    requireAll("second");
  }

  @Test
  void twoNodesDoNotLeaveWhereOneMoreIsNeeded() throws Exception {
    begin(3);
    awaitRing(3);
    writeAll("first");
    List<Machine<CoreNode>> places = byToken();
    List<Change> changes =
        List.of(new Change(Kind.LEAVE, places.get(0)), new Change(Kind.LEAVE, places.get(1)));
    for (Change change : changes) {
      change.begin();
    }
    assertTrue(
        world.runUntil(() -> changes.stream().allMatch(Change::isOver), LIMIT), "both are over");
    Change loser = changes.get(changes.get(0).failure().isEmpty() ? 1 : 0);
    assertTrue(loser.failure().contains("undone"), loser.failure());
    world.advance(RING_DELAY);
    loser.begin();
    assertTrue(world.runUntil(loser::isOver, LIMIT), "it is over");
    assertTrue(loser.failure().contains("fewer nodes than copies"), loser.failure());
    awaitRing(2);
    requireAll("first");
  }

  /** What was undone can be done now. */
  private void again(Change loser) throws Exception {
    world.advance(RING_DELAY);
    if (loser.kind.isStart()) {
      loser.machine.kill();
      world.advance(Duration.ofMinutes(1));
    }
    loser.begin();
    assertTrue(world.runUntil(loser::isOver, LIMIT), "it is over");
    assertEquals("", loser.failure());
  }
}
