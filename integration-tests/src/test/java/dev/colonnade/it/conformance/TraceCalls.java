package dev.colonnade.it.conformance;

import static dev.colonnade.it.conformance.TraceRequests.key;
import static dev.colonnade.it.conformance.TraceRequests.keys;
import static dev.colonnade.it.conformance.TraceRequests.parent;
import static dev.colonnade.it.conformance.TraceRequests.path;
import static dev.colonnade.it.conformance.TraceRequests.predicate;
import static dev.colonnade.it.conformance.TraceRequests.readOptions;
import static dev.colonnade.it.conformance.TraceRequests.text;
import static dev.colonnade.it.conformance.TraceRequests.writeOptions;

import com.google.gson.JsonObject;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.server.sim.SessionChannel;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends one recorded request after the other to a node and brings its answers into their form. */
final class TraceCalls {

  private static final int DEADLINE_SECONDS = 30;

  private final Channel channel;
  private final ReadStyle style;
  private final Differences differences;

  TraceCalls(Channel channel, ReadStyle style, Differences differences) {
    this.channel = style == ReadStyle.SESSION ? new SessionChannel(channel) : channel;
    this.style = style;
    this.differences = differences;
  }

  /** The node's answer to a line that {@code differences} does not leave out. */
  Outcome call(JsonObject line, Set<Trait> traits) {
    try {
      return Outcome.ok(value(line, traits));
    } catch (StatusRuntimeException e) {
      return Outcome.of(e);
    }
  }

  private @Nullable Object value(JsonObject line, Set<Trait> traits) {
    return switch (text(line, "op")) {
      case "insert" -> insert(line);
      case "remove" -> remove(line);
      case "batch_mutate" -> batchMutate(line, traits);
      case "truncate" -> truncate(line);
      case "set_keyspace" -> setKeyspace(line);
      case "get" -> get(line);
      case "get_slice" -> getSlice(line);
      case "get_count" -> getCount(line);
      case "multiget_slice" -> multigetSlice(line);
      case "multiget_count" -> multigetCount(line);
      case "get_range_slices" -> getRangeSlices(line, traits);
      default -> throw new IllegalArgumentException("no such request here: " + text(line, "op"));
    };
  }

  private @Nullable Object insert(JsonObject line) {
    data()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .setKey(key(line))
                .setColumnParent(parent(line))
                .setColumn(TraceRequests.column(line.getAsJsonObject("col")))
                .setOptions(writeOptions(line))
                .build());
    return null;
  }

  private @Nullable Object remove(JsonObject line) {
    data()
        .remove(
            RemoveRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .setKey(key(line))
                .setColumnPath(path(line))
                .setTimestamp(line.get("ts").getAsLong())
                .setOptions(writeOptions(line))
                .build());
    return null;
  }

  private @Nullable Object batchMutate(JsonObject line, Set<Trait> traits) {
    boolean lastOnly = differences.rewrites(Trait.SEVERAL_ROW_DELETIONS, traits);
    data()
        .batchMutate(
            BatchMutateRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .addAllRows(TraceRequests.rows(line, lastOnly))
                .setOptions(writeOptions(line))
                .build());
    return null;
  }

  private @Nullable Object truncate(JsonObject line) {
    schema()
        .truncateColumnFamily(
            TruncateColumnFamilyRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .setName(text(line, "cf"))
                .build());
    return null;
  }

  /**
   * There is no keyspace on a connection here; asking for its definition refuses the same names.
   */
  private @Nullable Object setKeyspace(JsonObject line) {
    schema().getKeyspace(GetKeyspaceRequest.newBuilder().setName(text(line, "ks")).build());
    return null;
  }

  private Object get(JsonObject line) {
    return TraceAnswers.column(
        data()
            .get(
                GetRequest.newBuilder()
                    .setKeyspace(text(line, "ks"))
                    .setKey(key(line))
                    .setColumnPath(path(line))
                    .setOptions(readOptions(line))
                    .build())
            .getColumnOrSuperColumn());
  }

  private Object getSlice(JsonObject line) {
    Parts parts = new Parts();
    if (style == ReadStyle.STREAMS) {
      data()
          .streamSlice(
              StreamSliceRequest.newBuilder()
                  .setKeyspace(text(line, "ks"))
                  .setKey(key(line))
                  .setColumnParent(parent(line))
                  .setPredicate(predicate(line.getAsJsonObject("pred")))
                  .setOptions(readOptions(line))
                  .setMaxChunkBytes(1)
                  .build())
          .forEachRemaining(
              part -> parts.addColumns(part.getColumnsList(), part.getSuperColumnContinues()));
      return TraceAnswers.columns(parts.columns());
    }
    GetSliceRequest.Builder request =
        GetSliceRequest.newBuilder()
            .setKeyspace(text(line, "ks"))
            .setKey(key(line))
            .setColumnParent(parent(line))
            .setPredicate(predicate(line.getAsJsonObject("pred")))
            .setOptions(readOptions(line))
            .setPageBytes(pageBytes());
    do {
      GetSliceResponse page = data().getSlice(request.build());
      parts.addColumns(page.getColumnsList(), page.getSuperColumnContinues());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return TraceAnswers.columns(parts.columns());
  }

  private Object getCount(JsonObject line) {
    return data()
        .getCount(
            GetCountRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .setKey(key(line))
                .setColumnParent(parent(line))
                .setPredicate(predicate(line.getAsJsonObject("pred")))
                .setOptions(readOptions(line))
                .build())
        .getCount();
  }

  private Object multigetSlice(JsonObject line) {
    MultigetSliceRequest.Builder request =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(text(line, "ks"))
            .addAllKeys(keys(line))
            .setColumnParent(parent(line))
            .setPredicate(predicate(line.getAsJsonObject("pred")))
            .setOptions(readOptions(line))
            .setPageBytes(pageBytes());
    Parts parts = new Parts();
    do {
      MultigetSliceResponse page = data().multigetSlice(request.build());
      parts.add(page.getRowsList(), page.getRowContinues(), page.getSuperColumnContinues());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    Map<String, Object> byKey = new TreeMap<>();
    parts
        .rows()
        .forEach(
            row ->
                putOnce(
                    byKey,
                    TraceAnswers.hex(row.getKey()),
                    TraceAnswers.columns(row.getColumnsList())));
    return byKey;
  }

  private Object multigetCount(JsonObject line) {
    Map<String, Object> byKey = new TreeMap<>();
    data()
        .multigetCount(
            MultigetCountRequest.newBuilder()
                .setKeyspace(text(line, "ks"))
                .addAllKeys(keys(line))
                .setColumnParent(parent(line))
                .setPredicate(predicate(line.getAsJsonObject("pred")))
                .setOptions(readOptions(line))
                .build())
        .getCountsList()
        .forEach(count -> putOnce(byKey, TraceAnswers.hex(count.getKey()), count.getCount()));
    return byKey;
  }

  private Object getRangeSlices(JsonObject line, Set<Trait> traits) {
    boolean emptyRows = differences.rewrites(Trait.RANGE_SCAN, traits);
    Parts parts = new Parts();
    if (style == ReadStyle.STREAMS) {
      data()
          .streamRangeSlices(
              StreamRangeSlicesRequest.newBuilder()
                  .setKeyspace(text(line, "ks"))
                  .setColumnParent(parent(line))
                  .setPredicate(predicate(line.getAsJsonObject("pred")))
                  .setRange(TraceRequests.keyRange(line.getAsJsonObject("range")))
                  .setOptions(readOptions(line))
                  .setIncludeEmptyRows(emptyRows)
                  .setMaxChunkBytes(1)
                  .build())
          .forEachRemaining(
              part ->
                  parts.add(
                      part.getRowsList(), part.getRowContinues(), part.getSuperColumnContinues()));
      return TraceAnswers.rows(parts.rows());
    }
    GetRangeSlicesRequest.Builder request =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(text(line, "ks"))
            .setColumnParent(parent(line))
            .setPredicate(predicate(line.getAsJsonObject("pred")))
            .setRange(TraceRequests.keyRange(line.getAsJsonObject("range")))
            .setOptions(readOptions(line))
            .setIncludeEmptyRows(emptyRows)
            .setPageBytes(pageBytes());
    do {
      GetRangeSlicesResponse page = data().getRangeSlices(request.build());
      parts.add(page.getRowsList(), page.getRowContinues(), page.getSuperColumnContinues());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return TraceAnswers.rows(parts.rows());
  }

  /** Zero is the default size. */
  private int pageBytes() {
    return style == ReadStyle.SMALL_PAGES ? 1 : 0;
  }

  private static void putOnce(Map<String, Object> byKey, String key, Object value) {
    if (byKey.put(key, value) != null) {
      throw new AssertionError("two entries for the key " + key + " in one answer");
    }
  }

  private ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data() {
    return ColumnStoreServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private SchemaServiceGrpc.SchemaServiceBlockingStub schema() {
    return SchemaServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }
}
