package dev.colonnade.server.node;

import com.google.gson.stream.JsonWriter;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.env.Scheduler.StageFigures;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.StreamProgress.StreamState;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.service.admin.FamilyLoad;
import dev.colonnade.server.service.admin.MemberFigures;
import dev.colonnade.server.service.coordinator.TimestampWatch;
import dev.colonnade.server.service.rpc.SlowRequest;
import dev.colonnade.server.storage.engine.EngineFigures;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.MergeFigures;
import dev.colonnade.server.storage.engine.QuarantinedFile;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the status page shows, as JSON: the state now, and counts since the start, of which the page
 * makes rates. Each list has a limit, so that the answer stays below some hundred kilobytes.
 */
final class StatusJson {

  private static final int NODES_MAX = 256;
  private static final int TOKENS_MAX = 16;
  private static final int FAMILIES_MAX = 100;
  private static final int CALLS_MAX = 400;
  private static final int WORKS_MAX = 50;
  private static final int DAMAGED_MAX = 50;
  private static final int TOKEN_BYTES = 16;

  /** The number of tokens of a hashing partitioner. */
  private static final double HASH_TOKENS = 0x1.0p127;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final NodeRuntime core;
  private final NodeMetrics metrics;
  private final Map<String, OsFileSystem> disks;

  StatusJson(NodeRuntime core, NodeMetrics metrics, Map<String, OsFileSystem> disks) {
    this.core = core;
    this.metrics = metrics;
    this.disks = disks;
  }

  byte[] render() {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.beginObject();
      node(json);
      ring(json);
      calls(json);
      families(json);
      stages(json);
      works(json);
      slow(json);
      json.endObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void node(JsonWriter json) throws IOException {
    long nowMicros = core.parts().machine().environment().clock().wallMicros();
    long upMillis = core.operations().node().uptimeNanos() / NANOS_PER_MILLI;
    Health.Report health = core.health().report();
    json.name("timeMillis").value(nowMicros / MICROS_PER_MILLI);
    json.name("node").beginObject();
    json.name("id").value(core.self().id());
    json.name("address").value(core.self().address().toString());
    json.name("cluster").value(core.cluster().clusterName());
    json.name("partitioner").value(core.cluster().partitioner().name());
    json.name("version").value(core.parts().version());
    json.name("upMillis").value(upMillis);
    json.name("ready").value(health.impact().isReady());
    json.endObject();
    json.name("problems").beginArray();
    for (Health.Problem problem : health.problems()) {
      if (problem.impact().compareTo(Impact.NOTICE) >= 0) {
        json.value(problem.inWords());
      }
    }
    json.endArray();
    json.name("timestamps").beginArray();
    for (TimestampWatch.Noticed noticed : core.coordinator().timestamps().lately(nowMicros)) {
      json.beginObject().name("keyspace").value(noticed.keyspace());
      json.name("family").value(noticed.family()).name("look").value(noticed.look().inWords());
      json.name("timestamp").value(Long.toString(noticed.timestamp())).endObject();
    }
    json.endArray();
    Runtime jvm = Runtime.getRuntime();
    EngineFigures engine = core.engine().figures();
    json.name("heapUsedBytes").value(jvm.totalMemory() - jvm.freeMemory());
    json.name("heapMaxBytes").value(jvm.maxMemory());
    json.name("loadBytes").value(core.operations().node().loadBytes());
    json.name("writeQueueBytes").value(engine.queuedBytes());
    json.name("writesDropped").value(engine.refusedWrites());
    json.name("callsPending").value(metrics.openCalls());
    json.name("callsDropped").value(metrics.refusedCalls());
    json.name("disks").beginArray();
    for (Map.Entry<String, OsFileSystem> disk : disks.entrySet()) {
      long free;
      long size;
      try {
        free = disk.getValue().usableBytes();
        size = disk.getValue().sizeBytes();
      } catch (IOException unknown) {
        continue;
      }
      json.beginObject().name("name").value(disk.getKey());
      json.name("freeBytes").value(free).name("sizeBytes").value(size).endObject();
    }
    json.endArray();
  }

  private void ring(JsonWriter json) throws IOException {
    Topology topology = core.cluster().topology();
    Partitioner partitioner = core.cluster().partitioner();
    Map<String, MemberFigures> members = new HashMap<>();
    core.clusterOperations().members().forEach(member -> members.put(member.nodeId(), member));
    Map<String, HintFigures> hints = new HashMap<>();
    core.clusterOperations().hints().forEach(queue -> hints.put(queue.targetId(), queue));
    json.name("hashed").value(!partitioner.preservesOrder());
    json.name("ring").beginArray();
    for (Topology.Place place : topology.places().stream().limit(NODES_MAX).toList()) {
      RingNode node = place.node();
      MemberFigures member = members.get(node.id());
      HintFigures queue = hints.get(node.id());
      json.beginObject();
      json.name("id").value(node.id());
      json.name("address").value(node.address() + ":" + node.peerPort());
      json.name("self").value(node.id().equals(core.self().id()));
      json.name("datacenter").value(node.datacenter());
      json.name("rack").value(node.rack());
      json.name("state").value(place.state().name().toLowerCase(Locale.ROOT));
      json.name("liveness").value(liveness(place, member));
      double phi = member == null ? Double.NaN : member.phi();
      json.name("phi");
      if (Double.isFinite(phi)) {
        json.value(phi);
      } else {
        json.nullValue();
      }
      json.name("loadBytes").value(member == null ? 0 : member.loadBytes());
      json.name("hints").value(queue == null ? 0 : queue.hints());
      json.name("positions").beginArray();
      for (byte[] token : node.tokens().stream().limit(TOKENS_MAX).toList()) {
        json.value(position(token));
      }
      json.endArray();
      json.endObject();
    }
    json.endArray();
  }

  private static String liveness(Topology.Place place, @Nullable MemberFigures member) {
    if (member == null) {
      return place.alive() ? "up" : "down";
    }
    return member.liveness().name().toLowerCase(Locale.ROOT);
  }

  /**
   * Where a token lies on the ring, from 0 to 1; of tokens that are no numbers only their order.
   */
  private static double position(byte[] token) {
    if (token.length == TOKEN_BYTES) {
      return new BigInteger(1, token).doubleValue() / HASH_TOKENS;
    }
    double place = 0;
    double share = 1;
    for (int i = 0; i < Math.min(token.length, Long.BYTES - 1); i++) {
      share /= 256;
      place += (token[i] & 0xff) * share;
    }
    return place;
  }

  private void calls(JsonWriter json) throws IOException {
    List<HistogramDataPointSnapshot> points =
        metrics.callDurations().stream()
            .sorted(Comparator.comparingLong(HistogramDataPointSnapshot::getCount).reversed())
            .limit(CALLS_MAX)
            .toList();
    json.name("bounds").beginArray();
    if (!points.isEmpty()) {
      ClassicHistogramBuckets buckets = points.get(0).getClassicBuckets();
      for (int i = 0; i < buckets.size() - 1; i++) {
        json.value(buckets.getUpperBound(i));
      }
    }
    json.endArray();
    json.name("calls").beginArray();
    for (HistogramDataPointSnapshot point : points) {
      json.beginObject();
      for (String label : List.of("method", "keyspace", "family")) {
        json.name(label).value(point.getLabels().get(label));
      }
      json.name("buckets").beginArray();
      for (int i = 0; i < point.getClassicBuckets().size(); i++) {
        json.value(point.getClassicBuckets().getCount(i));
      }
      json.endArray();
      json.endObject();
    }
    json.endArray();
  }

  private void families(JsonWriter json) throws IOException {
    List<FamilyLoad> all =
        core.operations().families().stream()
            .sorted(
                Comparator.comparingLong(
                        (FamilyLoad load) ->
                            load.figures().count(FamilyFigure.READS)
                                + load.figures().count(FamilyFigure.WRITES))
                    .reversed())
            .toList();
    json.name("familiesLeftOut").value(Math.max(0, all.size() - FAMILIES_MAX));
    json.name("families").beginArray();
    for (FamilyLoad load : all.stream().limit(FAMILIES_MAX).toList()) {
      json.beginObject();
      json.name("keyspace").value(load.keyspace()).name("name").value(load.name());
      figure(json, "reads", load, FamilyFigure.READS);
      figure(json, "writes", load, FamilyFigure.WRITES);
      figure(json, "tombstones", load, FamilyFigure.TOMBSTONES_SCANNED);
      figure(json, "diskBytes", load, FamilyFigure.DISK_BYTES);
      figure(json, "files", load, FamilyFigure.SSTABLES);
      figure(json, "pending", load, FamilyFigure.PENDING_COMPACTIONS);
      json.endObject();
    }
    json.endArray();
    json.name("damaged").beginArray();
    int damaged = 0;
    for (FamilyLoad load : all) {
      for (QuarantinedFile file : load.figures().quarantined()) {
        if (damaged++ < DAMAGED_MAX) {
          json.beginObject().name("keyspace").value(load.keyspace());
          json.name("family").value(load.name()).name("number").value(file.number());
          json.name("sinceSeconds").value(file.sinceSeconds());
          json.name("reason").value(file.reason()).endObject();
        }
      }
    }
    json.endArray();
  }

  private static void figure(JsonWriter json, String name, FamilyLoad load, FamilyFigure figure)
      throws IOException {
    json.name(name).value(load.figures().count(figure));
  }

  private void stages(JsonWriter json) throws IOException {
    json.name("stages").beginArray();
    for (StageFigures stage : core.operations().stages()) {
      json.beginObject().name("name").value(stage.stage().name().toLowerCase(Locale.ROOT));
      json.name("active").value(stage.active()).name("pending").value(stage.pending());
      json.name("completed").value(stage.completed()).name("dropped").value(stage.rejected());
      json.name("stillSeconds").value(stage.still().toSeconds()).endObject();
    }
    json.endArray();
  }

  private void works(JsonWriter json) throws IOException {
    json.name("merges").beginArray();
    for (MergeFigures merge : core.engine().merges().stream().limit(WORKS_MAX).toList()) {
      json.beginObject().name("keyspace").value(merge.keyspace());
      json.name("family").value(merge.family()).name("files").value(merge.files());
      json.name("doneBytes").value(merge.bytesDone());
      json.name("totalBytes").value(merge.bytesTotal()).endObject();
    }
    json.endArray();
    json.name("streams").beginArray();
    List<StreamProgress> running =
        core.streams().figures().stream()
            .filter(s -> s.state() != StreamState.DONE && s.state() != StreamState.FAILED)
            .limit(WORKS_MAX)
            .toList();
    for (StreamProgress stream : running) {
      json.beginObject().name("outgoing").value(stream.outgoing());
      json.name("peer").value(address(stream.peerId()));
      String family =
          core.schema()
              .current()
              .family(stream.family())
              .map(ColumnFamily::qualifiedName)
              .orElse("");
      json.name("purpose").value((family + " " + stream.purpose()).strip());
      json.name("rows").value(stream.rows()).name("bytes").value(stream.bytes());
      json.name("fileBytes").value(stream.fileBytes()).endObject();
    }
    json.endArray();
    json.name("repair");
    var repair = core.repairs().figures().running();
    if (repair.isEmpty()) {
      json.nullValue();
    } else {
      json.beginObject().name("done").value(repair.get().done());
      json.name("total").value(repair.get().total());
      json.name("detail").value(repair.get().detail()).endObject();
    }
    json.name("pendingRepairs").value(core.bulkLoads().figures().pendingRepairs());
  }

  private String address(String nodeId) {
    return core.cluster()
        .topology()
        .place(nodeId)
        .map(place -> place.node().address() + ":" + place.node().peerPort())
        .orElse(nodeId);
  }

  private void slow(JsonWriter json) throws IOException {
    Duration slowFrom = core.liveSettings().get(RequestSettings.SLOW_REQUEST_THRESHOLD);
    json.name("slowSeconds").value(slowFrom.toNanos() / NANOS_PER_SECOND);
    json.name("slow").beginArray();
    for (SlowRequests.Ended ended : metrics.slowRequests()) {
      SlowRequest slow = ended.request();
      json.beginObject().name("timeMillis").value(ended.timeMillis());
      json.name("method").value(slow.method()).name("keyspace").value(slow.keyspace());
      json.name("family").value(slow.family()).name("key").value(slow.key());
      json.name("rows").value(slow.rows()).name("level").value(slow.level());
      json.name("client").value(slow.client()).name("code").value(slow.statusCode());
      json.name("answerBytes").value(slow.answerBytes());
      json.name("trace").value(slow.traceId());
      json.name("work").value(SlowRequests.work(slow.cost()).strip());
      json.name("seconds").value(slow.nanos() / NANOS_PER_SECOND).endObject();
    }
    json.endArray();
  }
}
