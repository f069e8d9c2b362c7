package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.AsyncCursor;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.Document;
import dev.colonnade.client.Hit;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.SearchIndex;
import dev.colonnade.client.SearchQuery;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.TraceEvent;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Search with the client library, on a node with a disk. */
final class ClientSearchIT {

  private static final int MANY = 350;

  private static SearchIndex<String, Long> inbox(Colonnade client) {
    return client.keyspace("Mail").searchIndex("Inbox", Serializers.UTF8, Serializers.LONG);
  }

  private static List<Long> ids(List<Hit<Long>> hits) {
    return hits.stream().map(Hit::id).toList();
  }

  private static Node start(Path folder) throws Exception {
    return Node.start(NodeOptions.defaults().withDataDirectory(folder).withFreePorts());
  }

  private static Colonnade connect(Node node) {
    return Colonnade.connect(node.clientAddress() + ":" + node.clientPort());
  }

  @Test
  void anIndexIsSearchedAlsoAfterARestart(@TempDir Path folder) throws Exception {
    try (Node node = start(folder);
        Colonnade client = connect(node)) {
      InvalidRequestException refused =
          assertThrows(
              InvalidRequestException.class,
              () ->
                  client
                      .schema()
                      .create(
                          KeyspaceDefinition.named("Mail")
                              .with(
                                  ColumnFamilyDefinition.searchIndex(
                                      "Inbox", "klingon", Comparators.LONG))));
      assertTrue(String.valueOf(refused.getMessage()).contains("english"), refused.getMessage());
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Mail")
                  .with(ColumnFamilyDefinition.searchIndex("Inbox", "english", Comparators.LONG)));
      SearchIndex<String, Long> inbox = inbox(client);
      for (long i = 1; i <= MANY; i++) {
        Document<Long> mail = Document.of(i, "Report " + i, "numbers of the week").with("bob");
        assertTrue(inbox.index("ada", i % 100 == 0 ? mail.with("cy").withPayload("!" + i) : mail));
      }
      inbox.delete("ada", 7L);
      assertFalse(
          inbox
              .with(CallOptions.defaults().withTimestamp(1))
              .index("ada", Document.of(8L, "an old version")));
      searchAll(client);
    }
    try (Node node = start(folder);
        Colonnade client = connect(node)) {
      assertEquals(
          Optional.of("english"),
          client.schema().keyspace("Mail").columnFamily("Inbox").orElseThrow().analyzer());
      searchAll(client);
    }
  }

  @Test
  void changesOfAnIndexAndSearchesAreTraced(@TempDir Path folder) throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    try (Node node = start(folder);
        Colonnade client = connect(node)) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Mail")
                  .with(ColumnFamilyDefinition.searchIndex("Inbox", "english", Comparators.LONG)));
      Queue<CallStatistics> told = new ConcurrentLinkedQueue<>();
      SearchIndex<String, Long> inbox =
          inbox(client)
              .with(
                  CallOptions.defaults()
                      .withTraceparent(() -> "00-" + trace + "-b7ad6b7169203331-01")
                      .withStatistics(told::add));
      assertTrue(inbox.index("ada", Document.of(1L, "a report").with("bob")));
      assertEquals(List.of(1L), ids(inbox.find("ada", SearchQuery.allOf("reports"), 10)));
      assertEquals(List.of(1L), ids(inbox.interactions("ada", "bob", 10)));
      try (Cursor<Hit<Long>> hits = inbox.stream("ada", SearchQuery.allOf("reports"))) {
        assertEquals(1L, hits.next().id());
        assertFalse(hits.hasNext());
      }
      inbox.delete("ada", 1L);
      List<TraceEvent.Step> writes =
          List.of(TraceEvent.Step.STORE_READ, TraceEvent.Step.MEMTABLE_APPLIED);
      List<TraceEvent.Step> reads = List.of(TraceEvent.Step.STORE_READ);
      assertEquals(
          List.of(writes, reads, reads, reads, writes),
          told.stream().map(ClientSearchIT::stepsOfTheStore).toList());
      assertTrue(told.stream().allMatch(each -> each.trace().id().equals(trace)), told::toString);
    }
  }

  /** What the store did, each once. */
  private static List<TraceEvent.Step> stepsOfTheStore(CallStatistics cost) {
    return cost.trace().events().stream()
        .map(TraceEvent::step)
        .filter(
            step -> step == TraceEvent.Step.STORE_READ || step == TraceEvent.Step.MEMTABLE_APPLIED)
        .distinct()
        .toList();
  }

  private static void searchAll(Colonnade client) throws Exception {
    SearchIndex<String, Long> inbox = inbox(client);
    List<Long> all =
        LongStream.rangeClosed(1, MANY).map(i -> MANY + 1 - i).filter(i -> i != 7).boxed().toList();
    SearchQuery reports = SearchQuery.allOf("reporting numbers");
    assertEquals(all.subList(0, 10), ids(inbox.find("ada", reports, 10)));
    assertEquals(all, ids(inbox.find("ada", reports, 5_000)));
    List<Hit<Long>> streamed = new ArrayList<>();
    try (Cursor<Hit<Long>> hits = inbox.stream("ada", reports)) {
      hits.forEachRemaining(streamed::add);
    }
    assertEquals(all, ids(streamed));
    List<Hit<Long>> withBob = new ArrayList<>();
    try (AsyncCursor<Hit<Long>> hits = inbox.async().streamInteractions("ada", "bob")) {
      CompletableFuture<?> end = hits.forEach(withBob::add);
      end.get();
    }
    assertEquals(all, ids(withBob));
    List<Hit<Long>> withCy = inbox.interactions("ada", "cy", 2);
    assertEquals(List.of(300L, 200L), ids(withCy));
    assertEquals("!300", withCy.get(0).payloadText());
    assertEquals(
        List.of(300L, 200L, 100L),
        ids(inbox.async().find("ada", SearchQuery.prefix("rep").with("cy"), 10).get()));
    assertEquals(
        List.of(12L),
        ids(
            inbox.find(
                "ada", SearchQuery.phrase("report 12").inOrder(SearchQuery.Order.BEST_FIRST), 3)));
    List<CallStatistics> costs = new ArrayList<>();
    assertEquals(
        List.of(),
        inbox
            .with(CallOptions.defaults().withStatistics(costs::add))
            .find("nobody", SearchQuery.anyOf("report"), 10));
    assertEquals(1, costs.size());
  }
}
