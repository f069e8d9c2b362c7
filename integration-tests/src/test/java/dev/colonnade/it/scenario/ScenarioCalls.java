package dev.colonnade.it.scenario;

import static dev.colonnade.it.scenario.ScenarioData.parent;
import static dev.colonnade.it.scenario.ScenarioData.shown;
import static dev.colonnade.it.scenario.ScenarioData.slice;
import static dev.colonnade.it.scenario.ScenarioData.summary;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The calls that read and write; those that manage nodes are {@link ScenarioAdministration}. */
final class ScenarioCalls {

  private final ScenarioNodes nodes;
  private final ScenarioAdministration administration;
  private final ScenarioStreams streams;
  private final Map<String, Saved> saved = new HashMap<>();

  /** What came of a long read before it was ended, and where it continues. */
  private record Saved(List<ColumnOrSuperColumn> entries, String token) {}

  ScenarioCalls(ScenarioNodes nodes) {
    this.nodes = nodes;
    this.administration = new ScenarioAdministration(nodes);
    this.streams = new ScenarioStreams(nodes);
  }

  JsonObject play(Step step) {
    return switch (step.text("op")) {
      case "put" -> put(step);
      case "remove" -> remove(step);
      case "get" -> get(step);
      case "slice" -> sliced(step);
      case "count" -> count(step);
      case "multiget" -> multiget(step);
      case "pages" -> pages(step);
      case "stream" -> stream(step);
      case "rows" -> rows(step);
      case "batch" -> batch(step);
      case "mutate_stream", "fill", "sequences", "empty_session_call", "reflection" ->
          streams.play(step);
      default -> administration.play(step);
    };
  }

  private JsonObject put(Step step) {
    InsertRequest request =
        InsertRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setKey(step.bytes("key"))
            .setColumnParent(parent(step))
            .setColumn(ScenarioData.column(step))
            .setOptions(writes(step))
            .build();
    long timestamp = nodes.call(step, node -> node.columns().insert(request)).getTimestamp();
    return object("timestamp", Long.toString(timestamp));
  }

  private JsonObject remove(Step step) {
    RemoveRequest request =
        RemoveRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setKey(step.bytes("key"))
            .setColumnPath(path(step))
            .setTimestamp(Long.parseLong(step.text("timestamp")))
            .setOptions(writes(step))
            .build();
    long timestamp = nodes.call(step, node -> node.columns().remove(request)).getTimestamp();
    return object("timestamp", Long.toString(timestamp));
  }

  private JsonObject get(Step step) {
    GetRequest request =
        GetRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setKey(step.bytes("key"))
            .setColumnPath(path(step))
            .setOptions(reads(step))
            .build();
    ColumnOrSuperColumn found =
        nodes.call(step, node -> node.columns().get(request)).getColumnOrSuperColumn();
    JsonObject answer = new JsonObject();
    answer.add(found.hasSuperColumn() ? "super_column" : "column", shown(found));
    return answer;
  }

  private JsonObject sliced(Step step) {
    GetSliceRequest.Builder request = sliceRequest(step);
    List<ColumnOrSuperColumn> all = List.of();
    boolean continues = false;
    do {
      GetSliceRequest next = request.build();
      GetSliceResponse page = nodes.call(step, node -> node.columns().getSlice(next));
      all = ScenarioData.joined(all, page.getColumnsList(), continues);
      continues = page.getSuperColumnContinues();
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    if (step.flag("summary")) {
      return summary(all, 1);
    }
    JsonObject answer = new JsonObject();
    answer.add("entries", shown(all));
    return answer;
  }

  private JsonObject count(Step step) {
    GetCountRequest request =
        GetCountRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setKey(step.bytes("key"))
            .setColumnParent(parent(step))
            .setPredicate(slice(step))
            .setOptions(reads(step))
            .build();
    JsonObject answer = new JsonObject();
    answer.addProperty(
        "count", nodes.call(step, node -> node.columns().getCount(request)).getCount());
    return answer;
  }

  private JsonObject multiget(Step step) {
    MultigetSliceRequest request =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .addAllKeys(step.names("keys"))
            .setColumnParent(parent(step))
            .setPredicate(slice(step))
            .setOptions(reads(step))
            .build();
    MultigetSliceResponse found = nodes.call(step, node -> node.columns().multigetSlice(request));
    JsonArray rows = new JsonArray();
    for (KeySlice row : found.getRowsList()) {
      rows.add(row(row.getKey(), shown(row.getColumnsList())));
    }
    return object("rows", rows);
  }

  private JsonObject pages(Step step) {
    Saved begun = begun(step);
    GetSliceRequest.Builder request = sliceRequest(step).setPageToken(begun.token);
    List<ColumnOrSuperColumn> entries = new ArrayList<>(begun.entries);
    int parts = 0;
    do {
      GetSliceRequest next = request.build();
      GetSliceResponse page = nodes.call(step, node -> node.columns().getSlice(next));
      entries.addAll(page.getColumnsList());
      request.setPageToken(page.getNextPageToken());
      parts++;
    } while (!request.getPageToken().isEmpty() && parts != step.number("stop_after", -1));
    saved.put(step.text("save"), new Saved(entries, request.getPageToken()));
    return summary(entries, parts);
  }

  private JsonObject stream(Step step) {
    StreamRead read = new StreamRead(begun(step));
    nodes.call(
        step,
        node -> {
          streamFrom(node, step, read);
          return read;
        });
    saved.put(step.text("save"), new Saved(read.entries, read.token));
    return summary(read.entries, read.parts);
  }

  /** What came of a stream so far, on any node. */
  private static final class StreamRead {
    private final List<ColumnOrSuperColumn> entries;
    private String token;
    private int parts;

    StreamRead(Saved begun) {
      entries = new ArrayList<>(begun.entries);
      token = begun.token;
    }
  }

  private void streamFrom(ScenarioNodes.Node node, Step step, StreamRead read) {
    StreamSliceRequest request =
        StreamSliceRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setKey(step.bytes("key"))
            .setColumnParent(parent(step))
            .setPredicate(slice(step))
            .setOptions(reads(step))
            .setResumeToken(read.token)
            .setMaxChunkBytes((int) step.number("chunk_bytes", 0))
            .build();
    try (Context.CancellableContext call = Context.current().withCancellation()) {
      Context before = call.attach();
      try {
        Iterator<StreamSliceResponse> answers = node.columns().streamSlice(request);
        while (read.parts != step.number("stop_after", -1) && answers.hasNext()) {
          StreamSliceResponse part = answers.next();
          read.entries.addAll(part.getColumnsList());
          read.token = part.getResumeToken();
          read.parts++;
          if (read.parts == step.number("kill_after", -1)) {
            nodes.signal(step.list("nodes").get(0).getAsInt(), "KILL");
          }
        }
      } finally {
        call.detach(before);
      }
    }
  }

  private Saved begun(Step step) {
    return saved.getOrDefault(
        step.text("continue", "nothing"), new Saved(List.of(), step.text("token")));
  }

  private JsonObject rows(Step step) {
    GetRangeSlicesRequest.Builder request =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .setColumnParent(parent(step))
            .setPredicate(slice(step))
            .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
            .setOptions(reads(step))
            .setPageBytes((int) step.number("page_bytes", 0));
    Map<ByteString, Integer> counts = new LinkedHashMap<>();
    do {
      GetRangeSlicesRequest next = request.build();
      GetRangeSlicesResponse page = nodes.call(step, node -> node.columns().getRangeSlices(next));
      page.getRowsList()
          .forEach(row -> counts.merge(row.getKey(), row.getColumnsCount(), Integer::sum));
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    JsonArray rows = new JsonArray();
    counts.forEach((key, count) -> rows.add(row(key, new com.google.gson.JsonPrimitive(count))));
    return object("rows", rows);
  }

  private JsonObject batch(Step step) {
    BatchMutateRequest request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(step.keyspace())
            .addAllRows(step.steps("rows").stream().map(ScenarioData::row).toList())
            .setOptions(writes(step))
            .build();
    nodes.call(step, node -> node.columns().batchMutate(request));
    return new JsonObject();
  }

  private static GetSliceRequest.Builder sliceRequest(Step step) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(step.keyspace())
        .setKey(step.bytes("key"))
        .setColumnParent(parent(step))
        .setPredicate(slice(step))
        .setOptions(reads(step))
        .setPageBytes((int) step.number("page_bytes", 0));
  }

  private static ColumnPath path(Step step) {
    ColumnPath.Builder path = ColumnPath.newBuilder().setColumnFamily(step.text("family"));
    if (step.has("super")) {
      path.setSuperColumn(step.bytes("super"));
    }
    if (step.has("column")) {
      path.setColumn(step.bytes("column"));
    }
    return path.build();
  }

  private static ReadOptions reads(Step step) {
    return ReadOptions.newBuilder().setConsistencyLevel(level(step)).build();
  }

  static WriteOptions writes(Step step) {
    return WriteOptions.newBuilder().setConsistencyLevel(level(step)).build();
  }

  private static ConsistencyLevel level(Step step) {
    return ConsistencyLevel.valueOf("CONSISTENCY_LEVEL_" + step.text("level", "QUORUM"));
  }

  private static JsonObject row(ByteString key, JsonElement entries) {
    JsonObject row = object("entries", entries);
    row.add("key", shown(key));
    return row;
  }

  private static JsonObject object(String name, String value) {
    return object(name, new com.google.gson.JsonPrimitive(value));
  }

  static JsonObject object(String name, JsonElement value) {
    JsonObject object = new JsonObject();
    object.add(name, value);
    return object;
  }
}
