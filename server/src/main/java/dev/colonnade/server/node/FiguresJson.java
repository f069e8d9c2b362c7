package dev.colonnade.server.node;

import com.google.gson.stream.JsonWriter;
import dev.colonnade.server.service.status.NodeFigures;
import dev.colonnade.server.service.status.NodeFigures.DamagedFile;
import dev.colonnade.server.service.status.NodeFigures.Family;
import dev.colonnade.server.service.status.NodeFigures.Merge;
import dev.colonnade.server.service.status.NodeFigures.RepairWork;
import dev.colonnade.server.service.status.NodeFigures.Running;
import dev.colonnade.server.service.status.NodeFigures.SlowCall;
import dev.colonnade.server.service.status.NodeFigures.StageWork;
import dev.colonnade.server.service.status.NodeFigures.Transfer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes a node's figures as JSON, in the same form for all nodes. */
final class FiguresJson {

  private static final double NANOS_PER_SECOND = 1e9;

  private FiguresJson() {}

  /** Writes the fields of an object. */
  @FunctionalInterface
  interface Fields {
    void write(JsonWriter json) throws IOException;
  }

  /** An object, in UTF-8. */
  static byte[] object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.beginObject();
      fields.write(json);
      json.endObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static void write(JsonWriter json, NodeFigures figures) throws IOException {
    json.beginObject();
    json.name("timeMillis").value(figures.timeMillis());
    json.name("upMillis").value(figures.upMillis());
    json.name("version").value(figures.version());
    json.name("ready").value(figures.ready());
    texts(json, "problems", figures.problems());
    texts(json, "timestamps", figures.timestamps());
    json.name("heapUsedBytes").value(figures.load().heapUsedBytes());
    json.name("heapMaxBytes").value(figures.load().heapMaxBytes());
    json.name("loadBytes").value(figures.load().loadBytes());
    json.name("writeQueueBytes").value(figures.load().writeQueueBytes());
    json.name("writesDropped").value(figures.load().writesDropped());
    json.name("callsPending").value(figures.load().callsPending());
    json.name("callsDropped").value(figures.load().callsDropped());
    json.name("bounds").beginArray();
    for (double bound : figures.calls().bounds()) {
      json.value(bound);
    }
    json.endArray();
    counts(json, figures.calls().buckets());
    json.name("familiesLeftOut").value(figures.familiesLeftOut());
    families(json, figures.families());
    stages(json, figures.stages());
    running(json, figures.running());
    json.name("slowSeconds").value(figures.slowNanos() / NANOS_PER_SECOND);
    slow(json, figures.slow());
    damaged(json, figures.damaged());
    json.endObject();
  }

  private static void texts(JsonWriter json, String name, List<String> texts) throws IOException {
    json.name(name).beginArray();
    for (String text : texts) {
      json.value(text);
    }
    json.endArray();
  }

  private static void counts(JsonWriter json, List<Long> buckets) throws IOException {
    json.name("calls").beginArray();
    for (long count : buckets) {
      json.value(count);
    }
    json.endArray();
  }

  private static void families(JsonWriter json, List<Family> families) throws IOException {
    json.name("families").beginArray();
    for (Family family : families) {
      json.beginObject();
      json.name("keyspace").value(family.keyspace()).name("name").value(family.name());
      json.name("reads").value(family.reads()).name("writes").value(family.writes());
      json.name("tombstones").value(family.tombstones());
      json.name("diskBytes").value(family.diskBytes()).name("files").value(family.files());
      json.name("pending").value(family.pending());
      counts(json, family.calls());
      json.endObject();
    }
    json.endArray();
  }

  private static void stages(JsonWriter json, List<StageWork> stages) throws IOException {
    json.name("stages").beginArray();
    for (StageWork stage : stages) {
      json.beginObject().name("name").value(stage.name());
      json.name("active").value(stage.active()).name("pending").value(stage.pending());
      json.name("completed").value(stage.completed()).name("dropped").value(stage.dropped());
      json.name("stillSeconds").value(stage.stillSeconds()).endObject();
    }
    json.endArray();
  }

  private static void running(JsonWriter json, Running running) throws IOException {
    json.name("merges").beginArray();
    for (Merge merge : running.merges()) {
      json.beginObject().name("keyspace").value(merge.keyspace());
      json.name("family").value(merge.family()).name("files").value(merge.files());
      json.name("doneBytes").value(merge.doneBytes());
      json.name("totalBytes").value(merge.totalBytes()).endObject();
    }
    json.endArray();
    json.name("streams").beginArray();
    for (Transfer stream : running.streams()) {
      json.beginObject().name("outgoing").value(stream.outgoing());
      json.name("peer").value(stream.peer()).name("purpose").value(stream.purpose());
      json.name("rows").value(stream.rows()).name("bytes").value(stream.bytes());
      json.name("fileBytes").value(stream.fileBytes()).endObject();
    }
    json.endArray();
    json.name("repair");
    if (running.repair().isEmpty()) {
      json.nullValue();
    } else {
      RepairWork repair = running.repair().get();
      json.beginObject().name("done").value(repair.done()).name("total").value(repair.total());
      json.name("detail").value(repair.detail()).endObject();
    }
    json.name("pendingRepairs").value(running.pendingRepairs());
  }

  private static void slow(JsonWriter json, List<SlowCall> calls) throws IOException {
    json.name("slow").beginArray();
    for (SlowCall slow : calls) {
      json.beginObject().name("timeMillis").value(slow.timeMillis());
      json.name("method").value(slow.method()).name("keyspace").value(slow.keyspace());
      json.name("family").value(slow.family()).name("key").value(slow.key());
      json.name("rows").value(slow.rows()).name("level").value(slow.level());
      json.name("client").value(slow.client()).name("code").value(slow.code());
      json.name("trace").value(slow.trace()).name("work").value(slow.work());
      json.name("seconds").value(slow.nanos() / NANOS_PER_SECOND).endObject();
    }
    json.endArray();
  }

  private static void damaged(JsonWriter json, List<DamagedFile> files) throws IOException {
    json.name("damaged").beginArray();
    for (DamagedFile file : files) {
      json.beginObject().name("keyspace").value(file.keyspace());
      json.name("family").value(file.family()).name("number").value(file.number());
      json.name("sinceSeconds").value(file.sinceSeconds());
      json.name("reason").value(file.reason()).endObject();
    }
    json.endArray();
  }
}
