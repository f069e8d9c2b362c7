package dev.colonnade.server.cluster.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks are stored, carried out one at a time when their node is up, and forgotten. */
final class RepairTasksTest {
  private static final Duration LOOK = Duration.ofSeconds(6);

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);
  private final Set<String> alive = new HashSet<>();
  private final Set<String> left = new HashSet<>();
  private Schema schema = schema();
  private final FakeRepairs repairs = new FakeRepairs(this::topology, () -> schema);
  private RepairTasks tasks = begin();

  private static Schema schema() {
    try {
      return Schema.empty(ComparatorResolver.builtIns())
          .createKeyspace(
              KeyspaceDefinition.of("K").withFamily(FamilyDefinition.of("K", "F")),
              new SeededRandom(7),
              1)
          .after();
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode node(String id, int token) {
    return new RingNode(
        id, "10.0.0.1", 7000, 9160, "dc1", "r1", List.of(new byte[] {(byte) token}));
  }

  private Topology topology() {
    List<Topology.Place> places = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RingNode node = node("n" + i, 10 * i);
      places.add(
          new Topology.Place(
              node, Topology.RingState.NORMAL, List.of(), alive.contains(node.id())));
    }
    return Topology.of(places.get(0).node(), places);
  }

  private RepairTasks begin() {
    RepairTasks begun = new RepairTasks(repairs, repairs, left::contains, clock, scheduler);
    begun.start();
    return begun;
  }

  private RepairTask task(String nodeId, int... bounds) {
    List<TokenRange> ranges = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      ranges.add(new TokenRange(new byte[] {(byte) bounds[i]}, new byte[] {(byte) bounds[i + 1]}));
    }
    return new RepairTask(familyId(), nodeId, ranges);
  }

  private FamilyId familyId() {
    try {
      return schema().requireFamily("K", "F").id();
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  private void add(RepairTask task) {
    assertTrue(tasks.add(task).join());
  }

  @AfterEach
  void noTaskFailed() {
    assertEquals(List.of(), scheduler.failures());
  }

  @Test
  void aTaskIsCarriedOutOnceItsNodeIsUp() {
    add(task("n1", 1, 5));
    scheduler.advance(Duration.ofHours(1));
    assertEquals(List.of(), repairs.begun);
    assertEquals(1, tasks.pending());
    alive.add("n1");
    scheduler.advance(LOOK);
    assertEquals(List.of(task("n1", 1, 5)), repairs.begun);
    assertEquals(0, tasks.pending());
    assertEquals(List.of(), repairs.saved());
    scheduler.advance(Duration.ofHours(1));
    assertEquals(1, repairs.begun.size());
  }

  @Test
  void rangesOfOneFamilyAndNodeAreOneTask() {
    add(task("n1", 1, 5));
    add(task("n1", 9, 20, 5, 7));
    add(task("n2", 7, 9));
    assertEquals(3, tasks.pending());
    add(task("n1", 7, 9));
    assertEquals(2, tasks.pending(), "what was between them is there now");
    assertEquals(Set.of(task("n1", 1, 20), task("n2", 7, 9)), Set.copyOf(repairs.saved()));
  }

  @Test
  void theirNumberIsBounded() {
    byte[] tooLong = new byte[(int) RepairTasks.TOKEN_BYTES_MAX];
    RepairTask large =
        new RepairTask(familyId(), "n2", List.of(new TokenRange(new byte[] {1}, tooLong)));
    assertFalse(tasks.add(large).join());

    for (int i = 0; i < RepairTasks.RANGES_MAX; i++) {
      add(new RepairTask(new FamilyId(1, i), "n1", task("n1", 1, 5).ranges()));
    }
    RepairTask further = new RepairTask(new FamilyId(2, 0), "n1", task("n1", 1, 5).ranges());
    assertFalse(tasks.add(further).join());
    assertEquals(RepairTasks.RANGES_MAX, tasks.pending());
    assertEquals(RepairTasks.RANGES_MAX, repairs.saved().size());
    add(new RepairTask(new FamilyId(1, 0), "n1", task("n1", 5, 9).ranges()));
  }

  @Test
  void aTaskThatFailsWaitsTwiceAsLongEachTime() {
    alive.add("n1");
    repairs.outcome = CompletableFuture.failedFuture(new IllegalStateException("no"));
    add(task("n1", 1, 5));
    int before = 0;
    for (int pause = 10; pause <= 640; pause *= 2) {
      scheduler.advance(LOOK);
      assertEquals(before + 1, repairs.begun.size(), "after a pause of " + pause + " s at most");
      before = repairs.begun.size();
      scheduler.advance(Duration.ofSeconds(pause).minus(LOOK));
      assertEquals(before, repairs.begun.size(), "within " + pause + " s");
    }
    // A node that went down meanwhile is no success either.
    repairs.outcome =
        CompletableFuture.completedFuture(new RepairProgress(1, 1, 0, 0, 1, "it is down"));
    scheduler.advance(LOOK);
    assertEquals(before + 1, repairs.begun.size());
    assertEquals(1, tasks.pending());
    repairs.outcome = CompletableFuture.completedFuture(FakeRepairs.done());
    scheduler.advance(Duration.ofMinutes(11));
    assertEquals(0, tasks.pending());
  }

  @Test
  void oneIsCarriedOutAtATimeAndWhatIsAddedMeanwhileToo() {
    alive.addAll(Set.of("n1", "n2"));
    CompletableFuture<RepairProgress> first = new CompletableFuture<>();
    repairs.outcome = first;
    add(task("n1", 1, 5));
    add(task("n2", 1, 5));
    scheduler.advance(LOOK.multipliedBy(3));
    assertEquals(List.of(task("n1", 1, 5)), repairs.begun);
    add(task("n1", 7, 9));
    repairs.outcome = CompletableFuture.completedFuture(FakeRepairs.done());
    first.complete(FakeRepairs.done());
    scheduler.advance(LOOK.multipliedBy(3));
    assertEquals(
        List.of(task("n1", 1, 5), task("n2", 1, 5), task("n1", 1, 5, 7, 9)), repairs.begun);
    assertEquals(0, tasks.pending());
  }

  @Test
  void theNextRunOfTheNodeTakesThemUp() {
    add(task("n1", 1, 5));
    tasks.stop();
    alive.add("n1");
    scheduler.advance(LOOK);
    assertEquals(List.of(), repairs.begun);
    tasks = begin();
    assertEquals(1, tasks.pending());
    scheduler.advance(LOOK);
    assertEquals(List.of(task("n1", 1, 5)), repairs.begun);
    assertEquals(List.of(), repairs.saved());
  }

  @Test
  void aTaskIsForgottenWithItsNodeAndWithItsFamily() throws Exception {
    add(task("n1", 1, 5));
    add(task("n2", 1, 5));
    left.add("n1");
    scheduler.advance(LOOK);
    assertEquals(List.of(task("n2", 1, 5)), repairs.saved());
    schema = schema.dropFamily("K", "F", 2).after();
    scheduler.advance(LOOK);
    assertEquals(List.of(), repairs.saved());
    assertEquals(0, tasks.pending());
    assertEquals(List.of(), repairs.begun);
  }
}
