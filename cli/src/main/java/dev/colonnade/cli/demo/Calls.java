package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc.SchemaServiceBlockingStub;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Calls a node and tells each call with its answer. Every call has a deadline and throws {@link
 * io.grpc.StatusRuntimeException} when it fails. Not thread-safe.
 */
public final class Calls {

  private static final long DEADLINE_SECONDS = 20;

  /** All entries, from the first to the last. */
  private static final SliceRange EVERYTHING = SliceRange.getDefaultInstance();

  private final ColumnStoreServiceBlockingStub columns;
  private final SchemaServiceBlockingStub schema;
  private final Narration narration;
  private final List<String> made = new ArrayList<>();

  /**
   * @param channel leads to the node; stays the caller's to close
   * @param narration is told each call with its answer
   */
  public Calls(Channel channel, Narration narration) {
    columns = ColumnStoreServiceGrpc.newBlockingStub(channel);
    schema = SchemaServiceGrpc.newBlockingStub(channel);
    this.narration = narration;
  }

  Narration narration() {
    return narration;
  }

  /** How many calls were made so far. */
  int count() {
    return made.size();
  }

  /** The methods called after the first {@code count} calls, in order. */
  String madeSince(int count) {
    return String.join(", ", made.subList(count, made.size()));
  }

  /** Whether the node knows a keyspace. Not told: it is no part of a story. */
  boolean hasKeyspace(String name) {
    return schema
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .listKeyspaces(ListKeyspacesRequest.getDefaultInstance())
        .getKeyspacesList()
        .stream()
        .anyMatch(keyspace -> keyspace.getName().equals(name));
  }

  void createKeyspace(String name, List<Family> families) {
    tell("CreateKeyspace", name);
    narration.lines(families.stream().map(Family::described).toList());
    KeyspaceDef keyspace =
        KeyspaceDef.newBuilder()
            .setName(name)
            .addAllColumnFamilies(families.stream().map(Family::definition).toList())
            .build();
    String version =
        schema()
            .createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace).build())
            .getSchemaVersion();
    narration.answer("schema version " + version);
  }

  /** The families of a keyspace, as the node describes them. */
  List<ColumnFamilyDef> describeKeyspace(String name) {
    tell("GetKeyspace", name);
    List<ColumnFamilyDef> families =
        schema()
            .getKeyspace(GetKeyspaceRequest.newBuilder().setName(name).build())
            .getKeyspace()
            .getColumnFamiliesList();
    narration.lines(families.stream().map(Family::described).toList());
    return families;
  }

  void insert(Family family, String key, ByteString name, String value) {
    tell("Insert", family.row(key) + "[" + family.names().show(name) + "] = " + value);
    InsertRequest request =
        InsertRequest.newBuilder()
            .setKeyspace(family.keyspace())
            .setKey(ByteString.copyFromUtf8(key))
            .setColumnParent(parent(family))
            .setColumn(Write.column(name, value))
            .build();
    written(columns().insert(request).getTimestamp());
  }

  /** Writes rows of one keyspace with one call. */
  void write(List<Write> writes) {
    BatchMutateRequest.Builder batch = BatchMutateRequest.newBuilder();
    tell("BatchMutate", writes.get(0).family().keyspace());
    for (Write write : writes) {
      batch.setKeyspace(write.family().keyspace()).addRows(write.toMutation());
      narration.lines(List.of(write.family().name() + "['" + write.key() + "']"));
      narration.lines(Layout.indented(Layout.entries(write.family(), write.entries())));
    }
    written(columns().batchMutate(batch.build()).getTimestamp());
  }

  /** All columns of a row, in order. */
  List<Column> slice(Family family, String key) {
    return columnsOf(slice(family, key, EVERYTHING, ""));
  }

  /** The last columns of a row, the last one first. */
  List<Column> last(Family family, String key, int count) {
    SliceRange range = SliceRange.newBuilder().setReversed(true).setCount(count).build();
    return columnsOf(slice(family, key, range, " reversed, count " + count));
  }

  /** All super columns of a row, in order. */
  List<SuperColumn> superColumns(Family family, String key) {
    return superColumnsOf(slice(family, key, EVERYTHING, ""));
  }

  /** The last super columns of a row, the last one first. */
  List<SuperColumn> lastSuperColumns(Family family, String key, int count) {
    SliceRange range = SliceRange.newBuilder().setReversed(true).setCount(count).build();
    return superColumnsOf(slice(family, key, range, " reversed, count " + count));
  }

  /** One super column with all its columns. */
  SuperColumn superColumn(Family family, String key, String name) {
    tell("Get", family.row(key) + "['" + name + "']");
    ColumnPath path =
        ColumnPath.newBuilder()
            .setColumnFamily(family.name())
            .setSuperColumn(ByteString.copyFromUtf8(name))
            .build();
    SuperColumn found =
        columns()
            .get(
                GetRequest.newBuilder()
                    .setKeyspace(family.keyspace())
                    .setKey(ByteString.copyFromUtf8(key))
                    .setColumnPath(path)
                    .build())
            .getColumnOrSuperColumn()
            .getSuperColumn();
    narration.lines(Layout.superColumn(family, found));
    return found;
  }

  /** All columns of several rows, in the order of the keys. */
  Map<String, List<Column>> multiget(Family family, List<String> keys) {
    tell("MultigetSlice", family.keyspace() + "." + family.name() + " " + quoted(keys));
    MultigetSliceResponse answer =
        columns()
            .multigetSlice(
                MultigetSliceRequest.newBuilder()
                    .setKeyspace(family.keyspace())
                    .addAllKeys(keys.stream().map(ByteString::copyFromUtf8).toList())
                    .setColumnParent(parent(family))
                    .setPredicate(SlicePredicate.newBuilder().setSliceRange(EVERYTHING))
                    .build());
    requireLastPage(answer.getNextPageToken());
    Map<String, List<Column>> rows = new LinkedHashMap<>();
    for (KeySlice row : answer.getRowsList()) {
      narration.lines(List.of(Layout.text(row.getKey()) + ":"));
      narration.lines(Layout.indented(Layout.entries(family, row.getColumnsList())));
      rows.put(Layout.text(row.getKey()), columnsOf(row.getColumnsList()));
    }
    return rows;
  }

  /** How many entries rows have, as {@code key=number} in the order of the keys. */
  String counts(Family family, List<String> keys) {
    tell("MultigetCount", family.keyspace() + "." + family.name() + " " + quoted(keys));
    String counts =
        columns()
            .multigetCount(
                MultigetCountRequest.newBuilder()
                    .setKeyspace(family.keyspace())
                    .addAllKeys(keys.stream().map(ByteString::copyFromUtf8).toList())
                    .setColumnParent(parent(family))
                    .setPredicate(SlicePredicate.newBuilder().setSliceRange(EVERYTHING))
                    .build())
            .getCountsList()
            .stream()
            .map(count -> Layout.text(count.getKey()) + "=" + count.getCount())
            .collect(Collectors.joining(" "));
    narration.lines(List.of(counts));
    return counts;
  }

  void removeSuperColumn(Family family, String key, String name) {
    tell("Remove", family.row(key) + "['" + name + "']");
    ColumnPath path =
        ColumnPath.newBuilder()
            .setColumnFamily(family.name())
            .setSuperColumn(ByteString.copyFromUtf8(name))
            .build();
    RemoveRequest request =
        RemoveRequest.newBuilder()
            .setKeyspace(family.keyspace())
            .setKey(ByteString.copyFromUtf8(key))
            .setColumnPath(path)
            .build();
    written(columns().remove(request).getTimestamp());
  }

  private List<ColumnOrSuperColumn> slice(
      Family family, String key, SliceRange range, String rangeShown) {
    tell("GetSlice", family.row(key) + rangeShown);
    GetSliceResponse answer =
        columns()
            .getSlice(
                GetSliceRequest.newBuilder()
                    .setKeyspace(family.keyspace())
                    .setKey(ByteString.copyFromUtf8(key))
                    .setColumnParent(parent(family))
                    .setPredicate(SlicePredicate.newBuilder().setSliceRange(range))
                    .build());
    requireLastPage(answer.getNextPageToken());
    narration.lines(Layout.entries(family, answer.getColumnsList()));
    return answer.getColumnsList();
  }

  /** The answer to a write: the timestamp that the node gave it. */
  private void written(long timestampMicros) {
    narration.answer("timestamp " + timestampMicros);
  }

  private void tell(String method, String about) {
    made.add(method);
    narration.call(method + " " + about);
  }

  private ColumnStoreServiceBlockingStub columns() {
    return columns.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private SchemaServiceBlockingStub schema() {
    return schema.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static ColumnParent parent(Family family) {
    return ColumnParent.newBuilder().setColumnFamily(family.name()).build();
  }

  private static List<Column> columnsOf(List<ColumnOrSuperColumn> entries) {
    return entries.stream().map(ColumnOrSuperColumn::getColumn).toList();
  }

  private static List<SuperColumn> superColumnsOf(List<ColumnOrSuperColumn> entries) {
    return entries.stream().map(ColumnOrSuperColumn::getSuperColumn).toList();
  }

  private static String quoted(List<String> keys) {
    return keys.stream().map(key -> "'" + key + "'").collect(Collectors.joining(", "));
  }

  /** The stories are small; an answer in pages would mean that something is wrong. */
  /** The stories are small; an answer in pages would mean that something is wrong. */
  private static void requireLastPage(String nextPageToken) {
    if (!nextPageToken.isEmpty()) {
      throw new IllegalStateException(
          "the node cut an answer of a few hundred bytes into pages; nothing of it was compared");
    }
  }
}
