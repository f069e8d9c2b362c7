package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Applied;
import dev.colonnade.client.AsyncCursor;
import dev.colonnade.client.BulkWriter;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RingRange;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Streams of the client library, to a node and from it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientStreamingIT {

  private static final int LONG_ROW = 30_000;

  private final Node node;
  private final Colonnade client;
  private final Keyspace keyspace;
  private final ColumnFamily<String, Long, String> timeline;

  ClientStreamingIT(@TempDir Path folder) throws NodeStartException {
    node = Node.start(NodeOptions.defaults().withDataDirectory(folder).withFreePorts());
    client = Colonnade.connect(node.clientAddress() + ":" + node.clientPort());
    keyspace = client.keyspace("Blog");
    timeline = timeline(keyspace);
  }

  @BeforeAll
  void define() {
    client
        .schema()
        .create(
            KeyspaceDefinition.named("Blog")
                .with(ColumnFamilyDefinition.standard("Timeline", Comparators.LONG)));
  }

  @BeforeEach
  void empty() {
    timeline.truncate();
  }

  @AfterAll
  void stop() {
    client.close();
    node.close();
  }

  @Test
  void aBulkWriterWritesMoreThanMayWait() {
    BulkWriter writer = keyspace.bulkWriter();
    try (writer) {
      for (long i = 0; i < 5_000; i++) {
        var unused = writer.insert(timeline, "key" + i % 10, i, "value " + i);
      }
      var unused =
          writer.insertAll(timeline, "last", List.of(Column.of(1L, "one"), Column.of(2L, "two")));
    }
    assertEquals(5_001, writer.written());
    assertEquals(0, writer.failed());
    assertEquals(500, timeline.count("key7", Slice.all()));
    assertEquals("value 4999", timeline.get("key9", 4_999L).orElseThrow());
    assertEquals(2, timeline.count("last", Slice.all()));
  }

  @Test
  void aBatchThatIsRefusedDoesNotHinderTheOthers() {
    BulkWriter writer = keyspace.bulkWriter();
    CompletableFuture<@Nullable Void> good = writer.insert(timeline, "a", 1L, "v");
    CompletableFuture<@Nullable Void> bad = writer.insert(timeline, "", 1L, "v");
    CompletableFuture<@Nullable Void> after =
        writer.write(keyspace.batch().insert(timeline, "b", 1L, "v").remove(timeline, "a"));
    good.join();
    after.join();
    assertTrue(
        assertThrows(CompletionException.class, bad::join).getCause()
            instanceof InvalidRequestException);
    InvalidRequestException thrown = assertThrows(InvalidRequestException.class, writer::close);
    assertEquals(Applied.NO, thrown.applied());
    assertEquals("INVALID_REQUEST", thrown.reason());
    assertEquals(List.of("b"), keys(KeyRange.all()));
  }

  @Test
  void longAnswersAreReadWithoutAWaitingThreadBothWays() {
    fill(timeline);
    List<Long> all = LongStream.range(0, LONG_ROW).boxed().toList();
    List<Long> names = new ArrayList<>();
    timeline.async().stream("me", Slice.all()).forEach(each -> names.add(each.name())).join();
    assertEquals(all, names);
    List<Long> newest = new ArrayList<>();
    try (AsyncCursor<Column<Long, String>> cursor =
        timeline.async().stream("me", Slice.<Long>all().reversed())) {
      cursor.next().join().forEach(each -> newest.add(each.name()));
      cursor.next().join().forEach(each -> newest.add(each.name()));
    }
    assertTrue(newest.size() < LONG_ROW);
    assertEquals(
        LongStream.range(0, newest.size()).mapToObj(i -> LONG_ROW - 1 - i).toList(), newest);
    List<String> keys = new ArrayList<>();
    timeline.async().keys(KeyRange.all()).forEach(keys::add).join();
    assertEquals(List.of("me"), keys);
    List<Row<String, Column<Long, String>>> rows = new ArrayList<>();
    timeline.async().range(KeyRange.all(), Slice.first(2)).forEach(rows::add).join();
    assertEquals(2, rows.get(0).entries().size());
  }

  @Test
  void aBrokenConnectionLosesAndRepeatsNothingInEitherDirection() throws IOException {
    fill(timeline);
    List<Long> all = LongStream.range(0, LONG_ROW).boxed().toList();
    List<Long> back = LongStream.range(0, LONG_ROW).mapToObj(i -> LONG_ROW - 1 - i).toList();
    try (BreakingProxy proxy = new BreakingProxy(node.clientPort());
        Colonnade other = Colonnade.connect(proxy.address())) {
      ColumnFamily<String, Long, String> distant = timeline(other.keyspace("Blog"));
      assertEquals(all, namesOverBreaks(proxy, distant, Slice.all()));
      assertEquals(back, namesOverBreaks(proxy, distant, Slice.<Long>all().reversed()));
      assertTrue(proxy.connections() >= 3, "the connection did not break");
    }
  }

  @Test
  void rowsAreScannedByTokens() {
    List<String> written = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      written.add("key" + i);
      timeline.insert("key" + i, 1L, "v");
    }
    RingRange whole = client.cluster().ring("Blog").ranges().get(0);
    KeyRange<String> around = KeyRange.tokens(whole.startToken(), whole.endToken());
    assertEquals(new TreeSet<>(written), new TreeSet<>(keys(around)));
    String first = token("key3");
    String second = token("key5");
    TreeSet<String> parts = new TreeSet<>(keys(KeyRange.tokens(first, second)));
    assertTrue(parts.contains("key5"));
    assertFalse(parts.contains("key3"));
    assertTrue(parts.addAll(keys(KeyRange.tokens(second, first))));
    assertEquals(new TreeSet<>(written), parts);
    assertThrows(IllegalStateException.class, () -> around.to("key3"));
  }

  @Test
  void rowsWithNothingInTheSliceAreListedWhenAskedFor() {
    timeline.insert("young", 9L, "v");
    timeline.insert("old", 1L, "v");
    timeline.insert("gone", 1L, "v");
    timeline.remove("gone");
    assertEquals(
        List.of("old"),
        rows(KeyRange.all(), Slice.first(1)).stream()
            .filter(row -> row.get(1L).isPresent())
            .map(Row::key)
            .toList());
    List<Row<String, Column<Long, String>>> found = rows(KeyRange.all(), Slice.from(5L));
    assertEquals(List.of("young"), found.stream().map(Row::key).toList());
    List<Row<String, Column<Long, String>>> every =
        rows(KeyRange.<String>all().withEmptyRows(), Slice.from(5L));
    assertEquals(List.of("gone", "old", "young"), every.stream().map(Row::key).sorted().toList());
    assertEquals(2, every.stream().filter(Row::isEmpty).count());
  }

  private static List<Long> namesOverBreaks(
      BreakingProxy proxy, ColumnFamily<String, Long, String> family, Slice<Long> slice) {
    List<Long> names = new ArrayList<>();
    try (Cursor<Column<Long, String>> cursor = family.stream("me", slice)) {
      while (cursor.hasNext()) {
        names.add(cursor.next().name());
        if (names.size() == LONG_ROW / 3) {
          proxy.breakConnections();
        }
      }
    }
    return names;
  }

  private String token(String key) {
    return client.cluster().endpoints("Blog", key.getBytes(StandardCharsets.UTF_8)).token();
  }

  private List<String> keys(KeyRange<String> range) {
    try (Cursor<String> cursor = timeline.keys(range)) {
      return cursor.stream().toList();
    }
  }

  private List<Row<String, Column<Long, String>>> rows(KeyRange<String> range, Slice<Long> slice) {
    try (Cursor<Row<String, Column<Long, String>>> cursor = timeline.range(range, slice)) {
      return cursor.stream().toList();
    }
  }

  private static ColumnFamily<String, Long, String> timeline(Keyspace keyspace) {
    return keyspace.columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
  }

  private static void fill(ColumnFamily<String, Long, String> family) {
    List<Column<Long, String>> columns = new ArrayList<>();
    for (long i = 0; i < LONG_ROW; i++) {
      columns.add(Column.of(i, "a tweet with a text of some length ".repeat(4) + i));
    }
    family.insertAll("me", columns);
  }
}
