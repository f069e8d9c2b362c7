package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * While rows are streamed for a repair, each other operation begins at each of the nodes, at
 * moments from the first to the last of the repair. Afterwards a repair makes all replicas equal,
 * with the rows that were there, and nothing is held.
 */
final class RepairMeetsOperationsTest extends MembershipScenario {

  /** Moments of a repair at which something else begins. */
  private static final int MOMENTS = Integer.getInteger("colonnade.meet.moments", 3);

  private int round;
  private int families;

  RepairMeetsOperationsTest() {
    super(false);
  }

  private Map<String, Function<CoreNode, CompletableFuture<?>>> operations() {
    Map<String, Function<CoreNode, CompletableFuture<?>>> all = new LinkedHashMap<>();
    all.put("flush", node -> node.core().engine().flush(family(node).id()));
    all.put("compaction", node -> node.core().engine().compact(family(node).id(), p -> {}));
    all.put("cleanup", node -> node.core().cleanUp(families(node), p -> {}));
    all.put(
        "scrub", node -> node.core().engine().scrub().request(List.of(family(node).id()), r -> {}));
    all.put(
        "snapshot",
        node ->
            node.core()
                .backend()
                .snapshots()
                .take("s" + round, List.of(family(node).id()), true, p -> {}));
    all.put("repair", RepairMeetsOperationsTest::repair);
    all.put(
        "setting",
        node ->
            node.core()
                .schema()
                .updateFamily(
                    FamilyDefinition.of("K", "F")
                        .with(FamilyField.MIN_COMPACTION_THRESHOLD, 2 + round % 20),
                    List.of("min_compaction_threshold")));
    all.put(
        "family",
        node -> node.core().schema().createFamily(FamilyDefinition.of("K", "New" + ++families)));
    all.put(
        "truncation",
        node ->
            node.core()
                .schema()
                .truncate(family(node), node.clock().monotonicNanos() + (1L << 35)));
    return all;
  }

  private static ColumnFamily family(CoreNode node) {
    return families(node).get(0);
  }

  private static CompletableFuture<RepairProgress> repair(CoreNode node) {
    return node.core().repairs().repair(families(node), Optional.empty(), false, p -> {});
  }

  @Test
  void replicasAreEqualAfterBoth() throws Exception {
    begin(3);
    writeAll("first");
    long length = repairing(null, "nothing", Long.MAX_VALUE, RepairMeetsOperationsTest::repair);
    for (Map.Entry<String, Function<CoreNode, CompletableFuture<?>>> operation :
        operations().entrySet()) {
      for (int moment = 0; moment < MOMENTS; moment++) {
        Machine<CoreNode> at = world.machines().get((round + moment) % 3);
        long later = length * (2L * moment + 1) / (2L * MOMENTS);
        repairing(at, operation.getKey(), later, operation.getValue());
      }
    }
  }

  /**
   * Repairs rows that one node has alone, with an operation at some event after the repair began.
   *
   * @return how many events it took
   */
  private long repairing(
      @Nullable Machine<CoreNode> at,
      String what,
      long laterEvents,
      Function<CoreNode, CompletableFuture<?>> operation) {
    round++;
    String value = "round " + round;
    writeToOne(value);
    long begin = world.events();
    CompletableFuture<RepairProgress> repaired =
        world.machines().get(2).ask(RepairMeetsOperationsTest::repair);
    assertTrue(
        world.runUntil(() -> repaired.isDone() || world.events() - begin >= laterEvents, LIMIT));
    List<CompletableFuture<?>> both = new ArrayList<>(List.of(repaired));
    if (at != null) {
      both.add(at.ask(node -> operation.apply(node).thenApply(done -> "done")));
    }
    assertTrue(
        world.runUntil(() -> both.stream().allMatch(CompletableFuture::isDone), LIMIT),
        () -> "a repair beside a " + what + " hangs");
    long took = world.events() - begin;
    String when = what + " at " + at + " after " + laterEvents + " events of a repair: ";
    if (what.equals("truncation")) {
      // Which rows it found is open.
      writeAll(value);
    } else {
      both.forEach(each -> assertTrue(isOrderly(failure(each)), () -> when + failure(each)));
    }
    for (Machine<CoreNode> machine : world.machines()) {
      RepairProgress again = await(machine, RepairMeetsOperationsTest::repair);
      assertEquals(0, again.skippedReplicas(), when + "all are up");
    }
    requireAll(value);
    world.advance(Duration.ofSeconds(30));
    for (Machine<CoreNode> machine : world.machines()) {
      assertEquals(List.of(), machine.node().orElseThrow().core().engine().claims(), when + "held");
    }
    assertEquals(List.of(), world.failures(), when);
    return took;
  }

  /** A node repairs one thing at a time. */
  private static boolean isOrderly(String failure) {
    return failure.isEmpty() || failure.contains("a repair runs on this node already");
  }

  private static String failure(CompletableFuture<?> future) {
    return future.handle((done, failure) -> failure == null ? "" : failure.toString()).join();
  }

  /** Writes all rows to the store of one of their owners, past all others. */
  private void writeToOne(String value) {
    for (int i = 0; i < ROWS; i++) {
      int row = i;
      List<Machine<CoreNode>> owners =
          world.machines().stream().filter(machine -> owns(machine, row)).toList();
      await(
          owners.get((round + row) % owners.size()),
          node -> {
            ColumnFamily target = family(node);
            RowUpdate update =
                RowUpdate.builder(target.order())
                    .add(
                        Cell.live(
                            CoreRegisters.COLUMN_NAME.getBytes(StandardCharsets.UTF_8),
                            null,
                            value.getBytes(StandardCharsets.UTF_8),
                            version(value).timestamp()))
                    .build();
            return node.core()
                .engine()
                .write(
                    new Mutation(
                        CoreNode.key(key(row)),
                        List.of(
                            new Mutation.FamilyMutation(target.id(), update, target.truncation())),
                        node.clock().wallSeconds()),
                    true);
          });
    }
  }
}
