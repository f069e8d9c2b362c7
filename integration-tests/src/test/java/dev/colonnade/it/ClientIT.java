package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.AlreadyExistsException;
import dev.colonnade.client.Applied;
import dev.colonnade.client.AsyncSchema;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyCount;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.NotFoundException;
import dev.colonnade.client.PreconditionFailedException;
import dev.colonnade.client.Row;
import dev.colonnade.client.Schema;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.client.TimeUuids;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The client library against a node in this JVM. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClientIT {

  private static final int LONG_ROW = 20_000;

  private final Node node;
  private final Colonnade client;
  private final Schema schema;
  private final Keyspace keyspace;
  private final ColumnFamily<String, String, String> users;
  private final ColumnFamily<String, Long, String> timeline;
  private final SuperColumnFamily<String, UUID, String, String> comments;

  ClientIT(@TempDir Path folder) throws NodeStartException {
    node =
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(folder)
                .with(ClusterSettings.PARTITIONER, "OrderPreservingPartitioner")
                .withFreePorts());
    client = Colonnade.connect(node.clientAddress() + ":" + node.clientPort());
    schema = client.schema();
    keyspace = client.keyspace("Blog");
    users = keyspace.columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    timeline =
        keyspace.columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
    comments =
        keyspace.superColumnFamily(
            "Comments",
            Serializers.UTF8,
            Serializers.TIME_UUID,
            Serializers.UTF8,
            Serializers.UTF8);
  }

  @BeforeAll
  void define() {
    schema.create(
        KeyspaceDefinition.named("Blog")
            .with(ColumnFamilyDefinition.standard("Users", Comparators.UTF8))
            .with(ColumnFamilyDefinition.standard("Timeline", Comparators.LONG))
            .with(
                ColumnFamilyDefinition.superFamily(
                    "Comments", Comparators.TIME_UUID, Comparators.UTF8)));
  }

  @BeforeEach
  void empty() {
    users.truncate();
    timeline.truncate();
    comments.truncate();
  }

  @AfterAll
  void stop() {
    client.close();
    node.close();
  }

  @Test
  void columnsAreWrittenReadAndRemoved() {
    users.insert("jsmith", "city", "Tulsa");
    users.insertAll("jsmith", Map.of("first", "John", "last", "Smith"));
    assertEquals(Optional.of("Tulsa"), users.get("jsmith", "city"));
    assertEquals(Optional.empty(), users.get("jsmith", "age"));
    assertEquals(Optional.empty(), users.get("nobody", "city"));
    assertEquals(List.of("city", "first", "last"), names(users.slice("jsmith", Slice.all())));
    assertEquals(3, users.count("jsmith", Slice.all()));
    users.remove("jsmith", "city");
    assertEquals(List.of("first", "last"), names(users.slice("jsmith", Slice.all())));
    users.remove("jsmith");
    assertEquals(List.of(), users.slice("jsmith", Slice.all()));
    users.insert("jsmith", "city", "Again");
    assertEquals(Optional.of("Again"), users.get("jsmith", "city"));
  }

  @Test
  void timestampsAndTimesToLiveComeBack() {
    users.insert("k", Column.of("n", "new").withTimestamp(20).withTtl(Duration.ofHours(1)));
    users.insert("k", Column.of("n", "old").withTimestamp(10));
    Column<String, String> found = users.find("k", "n").orElseThrow();
    assertEquals(Column.of("n", "new").withTimestamp(20).withTtl(Duration.ofHours(1)), found);
  }

  @Test
  void slicesGoBothWaysAndPageWithoutGapOrRepeat() {
    fill(10);
    assertEquals(List.of(9L, 8L, 7L), names(timeline.slice("me", Slice.last(3))));
    assertEquals(List.of(0L, 1L), names(timeline.slice("me", Slice.first(2))));
    assertEquals(List.of(3L, 4L, 5L), names(timeline.slice("me", Slice.from(3L).to(5L))));
    assertEquals(List.of(4L), names(timeline.slice("me", Slice.after(3L).before(5L))));
    assertEquals(List.of(6L, 5L), names(timeline.slice("me", Slice.after(7L).reversed().limit(2))));
    assertEquals(List.of(2L, 8L), names(timeline.slice("me", Slice.named(List.of(8L, 2L, 77L)))));
    assertEquals(3, timeline.count("me", Slice.from(3L).to(5L)));
    timeline.removeRange("me", Slice.after(1L).before(9L));
    assertEquals(List.of(0L, 1L, 9L), names(timeline.slice("me", Slice.all())));
  }

  @Test
  void longRowsComeWholeAsAPageAsAStreamAndReversed() {
    fill(LONG_ROW);
    List<Long> all = LongStream.range(0, LONG_ROW).boxed().toList();
    assertEquals(all, names(timeline.slice("me", Slice.all())));
    try (Cursor<Column<Long, String>> cursor = timeline.stream("me", Slice.all())) {
      assertEquals(all, names(cursor.stream().toList()));
    }
    try (Stream<Column<Long, String>> newest =
        timeline.stream("me", Slice.<Long>all().reversed()).stream()) {
      assertEquals(List.of(LONG_ROW - 1L, LONG_ROW - 2L), names(newest.limit(2).toList()));
    }
  }

  @Test
  void rowsAreReadByKeysAndByRange() {
    for (String key : List.of("a", "b", "c", "d")) {
      users.insert(key, "name", key.toUpperCase(Locale.ROOT));
    }
    List<Row<String, Column<String, String>>> rows =
        users.multiget(List.of("c", "nobody", "a", "c"), Slice.all());
    assertEquals(List.of("c", "nobody", "a"), rows.stream().map(Row::key).toList());
    assertEquals("C", rows.get(0).entries().get(0).value());
    assertEquals(List.of(), rows.get(1).entries());
    assertEquals(List.of("b", "c"), keys(KeyRange.from("b").to("c")));
    assertEquals(List.of("a", "b", "c", "d"), keys(KeyRange.all()));
    assertEquals(List.of("a", "b"), keys(KeyRange.first(2)));
    List<String> values = new ArrayList<>();
    try (Cursor<Row<String, Column<String, String>>> range =
        users.range(KeyRange.from("c"), Slice.all())) {
      range.forEachRemaining(row -> values.add(row.key() + row.entries().get(0).value()));
    }
    assertEquals(List.of("cC", "dD"), values);
    assertTrue(users.touch(List.of("a", "nobody")) >= 0);
  }

  @Test
  void superColumnsAreWrittenReadAndRemoved() {
    UUID first = client.timeUuids().now();
    UUID second = client.timeUuids().now();
    comments.insert(
        "post",
        new SuperColumn<>(first, List.of(Column.of("author", "Bob"), Column.of("text", "Hi"))));
    comments.insert("post", second, "author", "Joe");
    assertEquals(Optional.of("Bob"), comments.get("post", first, "author"));
    assertEquals(
        List.of("author", "text"), names(comments.get("post", first).orElseThrow().columns()));
    assertEquals(Optional.empty(), comments.get("post", client.timeUuids().now()));
    assertEquals(
        List.of(second, first),
        comments.slice("post", Slice.last(10)).stream().map(SuperColumn::name).toList());
    assertEquals(List.of("text"), names(comments.slice("post", first, Slice.from("b"))));
    assertEquals(2, comments.count("post", Slice.all()));
    assertEquals(2, comments.within(first).count("post", Slice.all()));
    Instant moment = TimeUuids.instantOf(second);
    UUID from = TimeUuids.firstOf(moment);
    assertEquals(1, comments.slice("post", Slice.from(from)).size());
    comments.remove("post", first, "text");
    assertEquals(1, comments.within(first).count("post", Slice.all()));
    comments.within(first).remove("post");
    assertEquals(Optional.empty(), comments.get("post", first));
    comments.remove("post", second);
    assertEquals(0, comments.count("post", Slice.all()));
  }

  @Test
  void superColumnsLongerThanAPageComeWhole() {
    UUID name = client.timeUuids().now();
    Columns<String, String, String> thread = comments.within(name);
    String text = "x".repeat(100_000);
    for (int i = 0; i < 40; i++) {
      thread.insert("post", "column" + i, text);
    }
    assertEquals(40, comments.get("post", name).orElseThrow().columns().size());
    try (Cursor<SuperColumn<UUID, String, String>> cursor = comments.stream("post", Slice.all())) {
      assertEquals(40, cursor.next().columns().size());
      assertFalse(cursor.hasNext());
    }
    try (Cursor<Row<String, SuperColumn<UUID, String, String>>> cursor =
        comments.range(KeyRange.all(), Slice.all())) {
      Row<String, SuperColumn<UUID, String, String>> row = cursor.next();
      assertEquals(40, row.entries().get(0).columns().size());
      assertFalse(cursor.hasNext());
    }
    assertEquals(
        40,
        comments.multiget(List.of("post"), Slice.all()).get(0).entries().get(0).columns().size());
  }

  @Test
  void aBatchChangesFamiliesTogetherOrNotAtAll() {
    UUID name = client.timeUuids().now();
    users.insert("k", "old", "value");
    keyspace
        .batch()
        .remove(users, "k")
        .insert(users, "k", "new", "value")
        .insert(timeline, "k", 1L, "tweet")
        .insert(comments.within(name), "k", "author", "Bob")
        .apply();
    assertEquals(List.of("new"), names(users.slice("k", Slice.all())));
    assertEquals(Optional.of("tweet"), timeline.get("k", 1L));
    assertEquals(Optional.of("Bob"), comments.get("k", name, "author"));
    InvalidRequestException refused =
        assertThrows(
            InvalidRequestException.class,
            () ->
                keyspace
                    .batch()
                    .insert(users, "k", "newer", "value")
                    .insert(users, "", "key", "is empty")
                    .apply());
    assertEquals(Applied.NO, refused.applied());
    assertEquals("rows[1].key", refused.fieldViolations().get(0).field());
    assertEquals(Optional.empty(), users.get("k", "newer"));
  }

  @Test
  void futuresDoWhatTheWaitingMethodsDo() {
    Optional<String> value =
        users.async().insert("k", "n", "v").thenCompose(done -> users.async().get("k", "n")).join();
    assertEquals(Optional.of("v"), value);
  }

  @Test
  void rowsAndSuperColumnsAreReadAsMaps() {
    users.insertAll("jsmith", Map.of("first", "John", "last", "Smith", "city", "Tulsa"));
    Map<String, String> row = users.getAll("jsmith", Slice.all());
    assertEquals(List.of("city", "first", "last"), List.copyOf(row.keySet()));
    assertEquals("Tulsa", row.get("city"));
    assertEquals(Map.of(), users.getAll("nobody", Slice.all()));
    UUID name = client.timeUuids().now();
    comments.insert("post", SuperColumn.of(name, Map.of("author", "Bob", "text", "Hi")));
    SuperColumn<UUID, String, String> comment = comments.get("post", name).orElseThrow();
    assertEquals(Optional.of("Bob"), comment.get("author"));
    assertEquals(Optional.empty(), comment.get("email"));
    assertEquals(List.of("Bob", "Hi"), List.copyOf(comment.asMap().values()));
    assertEquals(
        Optional.of("Hi"),
        comments
            .multiget(List.of("post"), Slice.all())
            .get(0)
            .get(name)
            .flatMap(found -> found.get("text")));
  }

  @Test
  void rowsAreCountedTogether() {
    users.insertAll("a", Map.of("x", "1", "y", "2"));
    users.insert("b", "y", "1");
    List<KeyCount<String>> counts =
        users.multigetCount(List.of("b", "nobody", "a", "b"), Slice.all());
    assertEquals(
        List.of(new KeyCount<>("b", 1), new KeyCount<>("nobody", 0), new KeyCount<>("a", 2)),
        counts);
    assertEquals(
        List.of(new KeyCount<>("a", 1)),
        users.async().multigetCount(List.of("a"), Slice.from("y")).join());
  }

  @Test
  void theSchemaIsChangedWithFuturesToo() {
    AsyncSchema async = schema.async();
    List<KeyspaceDefinition> during =
        async
            .create(KeyspaceDefinition.named("Future"))
            .thenCompose(done -> async.create("Future", ColumnFamilyDefinition.changesOf("F")))
            .thenCompose(
                done ->
                    async.update(
                        "Future", ColumnFamilyDefinition.changesOf("F").withComment("later")))
            .thenCompose(done -> async.keyspaces())
            .join();
    assertTrue(during.stream().anyMatch(each -> each.name().equals("Future")));
    KeyspaceDefinition found = async.keyspace("Future").join();
    assertEquals("later", found.columnFamily("F").orElseThrow().comment());
    assertEquals("BytesType", found.columnFamily("F").orElseThrow().compareWith());
    async
        .update(found.withDurableWrites(false))
        .thenCompose(done -> async.dropColumnFamily("Future", "F"))
        .thenCompose(done -> async.dropKeyspace("Future"))
        .join();
    CompletionException thrown =
        assertThrows(CompletionException.class, async.keyspace("Future")::join);
    assertTrue(thrown.getCause() instanceof NotFoundException);
  }

  @Test
  void familiesAreTouchedAndEmptiedWithFuturesToo() {
    users.insert("k", "n", "v");
    client.node().flush("Blog", "Users");
    assertEquals(1, users.async().touch(List.of("k", "nobody")).join());
    users.async().truncate().join();
    assertEquals(Optional.empty(), users.get("k", "n"));
    assertEquals(0, comments.async().touch(List.of("k")).join());
    comments.async().truncate().join();
  }

  @Test
  void theSchemaIsCreatedChangedAndDropped() {
    ColumnFamilyDefinition tags =
        ColumnFamilyDefinition.standard("Tags", Comparators.UTF8)
            .withDefaultTtl(Duration.ofDays(1))
            .withGcGrace(Duration.ofHours(2));
    schema.create(KeyspaceDefinition.named("Other"));
    schema.create("Other", tags);
    assertThrows(AlreadyExistsException.class, () -> schema.create("Other", tags));
    ColumnFamilyDefinition found = schema.keyspace("Other").columnFamily("Tags").orElseThrow();
    assertEquals(Optional.of(Duration.ofDays(1)), found.defaultTtl());
    schema.update("Other", found.withComment("by tag").withCompactionThresholds(3, 9));
    found = schema.keyspace("Other").columnFamily("Tags").orElseThrow();
    assertEquals("by tag", found.comment());
    assertEquals(9, found.maxCompactionThreshold().orElseThrow());
    assertEquals(Optional.of(Duration.ofHours(2)), found.gcGrace());
    assertThrows(
        PreconditionFailedException.class,
        () -> schema.update("Other", ColumnFamilyDefinition.standard("Tags", "LongType")));
    schema.update(schema.keyspace("Other").withDurableWrites(false));
    assertFalse(schema.keyspace("Other").durableWrites());
    schema.dropColumnFamily("Other", "Tags");
    assertEquals(List.of(), schema.keyspace("Other").columnFamilies());
    schema.dropKeyspace("Other");
    NotFoundException thrown =
        assertThrows(NotFoundException.class, () -> schema.keyspace("Other"));
    assertEquals("KEYSPACE_NOT_FOUND", thrown.reason());
    assertTrue(schema.keyspaces().stream().anyMatch(each -> each.name().equals("Blog")));
  }

  private void fill(int columns) {
    List<Column<Long, String>> tweets = new ArrayList<>();
    for (long i = 0; i < columns; i++) {
      tweets.add(Column.of(i, "tweet number " + i + " with a text of one hundred bytes".repeat(2)));
    }
    timeline.insertAll("me", tweets);
  }

  private List<String> keys(KeyRange<String> range) {
    try (Cursor<String> cursor = users.keys(range)) {
      return cursor.stream().toList();
    }
  }

  private static <N> List<N> names(List<Column<N, String>> columns) {
    return columns.stream().map(Column::name).toList();
  }
}
