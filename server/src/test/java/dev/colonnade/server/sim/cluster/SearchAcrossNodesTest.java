package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.search.Analyzers;
import dev.colonnade.server.service.search.DocumentIndexer;
import dev.colonnade.server.service.search.Match;
import dev.colonnade.server.service.search.SearchEngine;
import dev.colonnade.server.service.search.SearchSettings;
import dev.colonnade.server.service.search.SearchText;
import dev.colonnade.server.service.search.TermSearch;
import dev.colonnade.server.service.search.UserRow;
import dev.colonnade.server.sim.Machine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** An index with three copies, at QUORUM: what one copy missed does not show. */
final class SearchAcrossNodesTest extends MembershipScenario {

  private static final Consistency LEVEL = Consistency.QUORUM;

  /** Without hints: what a copy missed it has missed. */
  SearchAcrossNodesTest() {
    super(false);
  }

  /** The search service of one node. */
  private static final class Searcher {
    private final CoreNode node;
    private final Analyzers analyzers;

    Searcher(CoreNode node, Machine<CoreNode> machine) {
      this.node = node;
      this.analyzers = new Analyzers(PlugIns.NONE, machine.scheduler().orElseThrow());
    }

    private ColumnFamily family() {
      return Objects.requireNonNull(node.familyIfServing("S", "Mails"));
    }

    private UserRow row(String user) {
      LongSupplier deadline = this::deadlineNanos;
      return new UserRow(node.core().coordinator(), family(), node.rowKey(user), LEVEL, deadline);
    }

    private long deadlineNanos() {
      return node.clock().monotonicNanos() + Duration.ofSeconds(10).toNanos();
    }

    private DocumentIndexer indexer() {
      return new DocumentIndexer(
          analyzers, SearchSettings.DEFAULT, new IncreasingTimestamps(node.clock()), node.clock());
    }

    private DocumentIndexer.Writing writing() {
      return new DocumentIndexer.Writing(node.core().coordinator(), true, LEVEL, deadlineNanos());
    }

    CompletableFuture<DocumentIndexer.Outcome> index(String user, long id, String text) {
      return indexer()
          .index(
              row(user),
              new DocumentIndexer.Document(
                  id(id),
                  List.of(text),
                  List.of("bob".getBytes(StandardCharsets.UTF_8)),
                  new byte[0],
                  OptionalLong.empty()),
              writing());
    }

    CompletableFuture<DocumentIndexer.Outcome> delete(String user, long id) {
      return indexer().remove(row(user), id(id), OptionalLong.empty(), writing());
    }

    CompletableFuture<List<Long>> find(String user, String allOf) {
      return new SearchEngine(analyzers, SearchSettings.DEFAULT)
          .terms(
              row(user),
              new SearchText(allOf, "", "", "", List.of()),
              new TermSearch.PageSpec(false, 100, Optional.empty(), node.clock().wallSeconds()))
          .thenCompose(
              search ->
                  AsyncLoop.whileTrue(search::step)
                      .thenApply(done -> search.hits().stream().map(Searcher::number).toList()));
    }

    private static Long number(Match match) {
      return ByteBuffer.wrap(match.id()).getLong();
    }

    private static byte[] id(long id) {
      return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }
  }

  private <T> T at(int index, Function<Searcher, CompletableFuture<T>> call) {
    Machine<CoreNode> machine = world.machines().get(index);
    return await(machine, node -> call.apply(new Searcher(node, machine)));
  }

  private void beginWithIndex() throws Exception {
    begin(3);
    await(
        world.machines().get(0),
        node ->
            node.core()
                .schema()
                .createKeyspace(
                    KeyspaceDefinition.of("S")
                        .withReplicationFactor(3)
                        .withFamily(
                            FamilyDefinition.superFamily("S", "Mails", "BytesType", "LongType")
                                .with(FamilyField.ANALYZER, "english"))));
    assertTrue(
        world.runUntil(
            () ->
                world.machines().stream().allMatch(m -> m.node().orElseThrow().knows("S", "Mails")),
            LIMIT),
        "the schema spreads, the analyzer with it");
    for (int i = 0; i < 3; i++) {
      assertEquals(Optional.of("english"), node(i).family("S", "Mails").analyzer());
    }
  }

  @Test
  void whatACopyMissedIsFoundAndWhatItKeptIsNot() throws Exception {
    beginWithIndex();
    at(0, node -> node.index("ada", 1, "lunch on friday"));
    at(1, node -> node.index("ada", 2, "lunch with bob"));
    at(2, node -> node.index("ada", 3, "the budget"));
    // The third copy misses a change, a removal and a new document.
    Machine<CoreNode> third = world.machines().get(2);
    third.kill();
    assertTrue(
        world.runUntil(
            () -> node(0).core().cluster().topology().places().stream().anyMatch(p -> !p.alive()),
            LIMIT));
    at(0, node -> node.index("ada", 1, "dinner on friday"));
    at(1, node -> node.delete("ada", 2));
    at(0, node -> node.index("ada", 4, "lunches"));
    assertEquals(List.of(4L), at(0, node -> node.find("ada", "lunch")), "with one copy down");
    third.start();
    awaitRing(3);
    for (int i : new int[] {2, 1, 0}) {
      assertEquals(List.of(4L), at(i, node -> node.find("ada", "lunch")), "at node " + i);
      assertEquals(List.of(1L), at(i, node -> node.find("ada", "dinner friday")), "node " + i);
      assertEquals(List.of(3L), at(i, node -> node.find("ada", "budgets")), "at node " + i);
      assertEquals(List.of(), at(i, node -> node.find("ada", "bob")), "at node " + i);
    }
    // Its copy is stale, and the document is replaced through it.
    at(2, node -> node.index("ada", 1, "lunch after all"));
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of(4L, 1L), at(i, node -> node.find("ada", "lunch")), "at node " + i);
      assertEquals(List.of(), at(i, node -> node.find("ada", "dinner")), "at node " + i);
    }
  }

  /** Writers on different nodes replace one document at the same time, many times. */
  @Test
  void writersOnSeveralNodesLeaveOneVersion() throws Exception {
    beginWithIndex();
    for (int round = 0; round < 10; round++) {
      int now = round;
      int[] done = new int[1];
      for (int i = 0; i < 3; i++) {
        int writer = i;
        Machine<CoreNode> machine = world.machines().get(i);
        machine.<DocumentIndexer.Outcome>call(
            node ->
                new Searcher(node, machine)
                    .index("ada", 1, "common round" + now + " writer" + writer),
            (outcome, failure) -> done[0]++);
      }
      assertTrue(world.runUntil(() -> done[0] == 3, LIMIT), "all have written");
      int stands = 0;
      for (int i = 0; i < 3; i++) {
        int writer = i;
        List<Long> found = at(round % 3, node -> node.find("ada", "writer" + writer));
        stands += found.size();
      }
      assertEquals(1, stands, "one version stands");
      assertEquals(List.of(1L), at(round % 3, node -> node.find("ada", "common round" + now)));
      if (round > 0) {
        assertEquals(List.of(), at(0, node -> node.find("ada", "round" + (now - 1))));
      }
    }
  }
}
