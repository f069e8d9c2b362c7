package dev.colonnade.server.node;

import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.StreamProgress.StreamState;
import dev.colonnade.server.service.admin.FamilyLoad;
import dev.colonnade.server.service.coordinator.TimestampWatch;
import dev.colonnade.server.service.rpc.SlowRequest;
import dev.colonnade.server.service.status.NodeFigures;
import dev.colonnade.server.service.status.NodeFigures.Calls;
import dev.colonnade.server.service.status.NodeFigures.DamagedFile;
import dev.colonnade.server.service.status.NodeFigures.Family;
import dev.colonnade.server.service.status.NodeFigures.Load;
import dev.colonnade.server.service.status.NodeFigures.Merge;
import dev.colonnade.server.service.status.NodeFigures.RepairWork;
import dev.colonnade.server.service.status.NodeFigures.Running;
import dev.colonnade.server.service.status.NodeFigures.SlowCall;
import dev.colonnade.server.service.status.NodeFigures.StageWork;
import dev.colonnade.server.service.status.NodeFigures.Transfer;
import dev.colonnade.server.storage.engine.EngineFigures;
import dev.colonnade.server.storage.engine.FamilyFigure;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Collects what this node says of itself, all of it from memory. Each list has a limit, so that an
 * answer stays below some hundred kilobytes. Thread-safe; never blocks.
 */
final class OwnFigures {

  private static final String DATA_CALLS = "ColumnStoreService/";

  /** One that stays open says nothing of how long calls take. */
  private static final String SESSION = "/Session";

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MICROS_PER_MILLI = 1_000;

  private final NodeRuntime core;
  private final NodeMetrics metrics;

  OwnFigures(NodeRuntime core, NodeMetrics metrics) {
    this.core = core;
    this.metrics = metrics;
  }

  NodeFigures collect() {
    long nowMicros = core.parts().machine().environment().clock().wallMicros();
    Health.Report health = core.health().report();
    List<FamilyLoad> all = busiestFirst();
    CallTimes calls = new CallTimes(metrics.callDurations());
    return new NodeFigures(
        nowMicros / MICROS_PER_MILLI,
        core.operations().node().uptimeNanos() / NANOS_PER_MILLI,
        core.parts().version(),
        health.impact().isReady(),
        health.problems().stream()
            .filter(problem -> problem.impact().compareTo(Impact.NOTICE) >= 0)
            .map(Health.Problem::inWords)
            .limit(NodeFigures.WORKS_MAX)
            .toList(),
        core.coordinator().timestamps().lately(nowMicros).stream()
            .map(OwnFigures::inWords)
            .limit(NodeFigures.WORKS_MAX)
            .toList(),
        load(),
        new Calls(calls.bounds, calls.all),
        Math.max(0, all.size() - NodeFigures.FAMILIES_MAX),
        all.stream().limit(NodeFigures.FAMILIES_MAX).map(family -> family(family, calls)).toList(),
        stages(),
        running(),
        core.liveSettings().get(RequestSettings.SLOW_REQUEST_THRESHOLD).toNanos(),
        metrics.slowRequests().stream().limit(NodeFigures.WORKS_MAX).map(OwnFigures::slow).toList(),
        damaged(all));
  }

  private static String inWords(TimestampWatch.Noticed noticed) {
    return noticed.keyspace()
        + "."
        + noticed.family()
        + ": "
        + noticed.look().inWords()
        + "; "
        + noticed.timestamp()
        + " was written last";
  }

  private Load load() {
    Runtime jvm = Runtime.getRuntime();
    EngineFigures engine = core.engine().figures();
    return new Load(
        jvm.totalMemory() - jvm.freeMemory(),
        jvm.maxMemory(),
        core.operations().node().loadBytes(),
        engine.queuedBytes(),
        engine.refusedWrites(),
        metrics.openCalls(),
        metrics.refusedCalls());
  }

  private List<FamilyLoad> busiestFirst() {
    return core.operations().families().stream()
        .sorted(
            Comparator.comparingLong(
                    (FamilyLoad load) ->
                        load.figures().count(FamilyFigure.READS)
                            + load.figures().count(FamilyFigure.WRITES))
                .reversed())
        .toList();
  }

  private static Family family(FamilyLoad load, CallTimes calls) {
    return new Family(
        load.keyspace(),
        load.name(),
        load.figures().count(FamilyFigure.READS),
        load.figures().count(FamilyFigure.WRITES),
        load.figures().count(FamilyFigure.TOMBSTONES_SCANNED),
        load.figures().count(FamilyFigure.DISK_BYTES),
        load.figures().count(FamilyFigure.SSTABLES),
        load.figures().count(FamilyFigure.PENDING_COMPACTIONS),
        calls.of(load.keyspace(), load.name()));
  }

  private List<StageWork> stages() {
    return core.operations().stages().stream()
        .map(
            stage ->
                new StageWork(
                    stage.stage().name().toLowerCase(Locale.ROOT),
                    stage.active(),
                    stage.pending(),
                    stage.completed(),
                    stage.rejected(),
                    stage.still().toSeconds()))
        .toList();
  }

  private Running running() {
    return new Running(
        core.engine().merges().stream()
            .limit(NodeFigures.WORKS_MAX)
            .map(
                merge ->
                    new Merge(
                        merge.keyspace(),
                        merge.family(),
                        merge.files(),
                        merge.bytesDone(),
                        merge.bytesTotal()))
            .toList(),
        core.streams().figures().stream()
            .filter(s -> s.state() != StreamState.DONE && s.state() != StreamState.FAILED)
            .limit(NodeFigures.WORKS_MAX)
            .map(this::transfer)
            .toList(),
        core.repairs()
            .figures()
            .running()
            .map(repair -> new RepairWork(repair.done(), repair.total(), repair.detail())),
        core.bulkLoads().figures().pendingRepairs());
  }

  private Transfer transfer(StreamProgress stream) {
    String family =
        core.schema().current().family(stream.family()).map(ColumnFamily::qualifiedName).orElse("");
    return new Transfer(
        stream.outgoing(),
        address(stream.peerId()),
        (family + " " + stream.purpose()).strip(),
        stream.rows(),
        stream.bytes(),
        stream.fileBytes());
  }

  private String address(String nodeId) {
    return core.cluster()
        .topology()
        .place(nodeId)
        .map(place -> place.node().address() + ":" + place.node().peerPort())
        .orElse(nodeId);
  }

  private static SlowCall slow(SlowRequests.Ended ended) {
    SlowRequest slow = ended.request();
    return new SlowCall(
        ended.timeMillis(),
        slow.method(),
        slow.keyspace(),
        slow.family(),
        slow.key(),
        slow.rows(),
        slow.level(),
        slow.client(),
        slow.statusCode(),
        slow.traceId(),
        SlowRequests.work(slow.cost()).strip(),
        slow.nanos());
  }

  private static List<DamagedFile> damaged(List<FamilyLoad> all) {
    return all.stream()
        .flatMap(
            load ->
                load.figures().quarantined().stream()
                    .map(
                        file ->
                            new DamagedFile(
                                load.keyspace(),
                                load.name(),
                                file.number(),
                                file.sinceSeconds(),
                                file.reason())))
        .limit(NodeFigures.WORKS_MAX)
        .toList();
  }

  /** The durations of data calls, of all methods together. */
  private static final class CallTimes {

    private final List<Double> bounds = new ArrayList<>();
    private final List<Long> all = new ArrayList<>();
    private final Map<String, Map<String, List<Long>>> families = new HashMap<>();

    CallTimes(List<HistogramDataPointSnapshot> points) {
      for (HistogramDataPointSnapshot point : points) {
        Labels labels = point.getLabels();
        String method = Optional.ofNullable(labels.get("method")).orElse("");
        if (!method.contains(DATA_CALLS) || method.endsWith(SESSION)) {
          continue;
        }
        ClassicHistogramBuckets buckets = point.getClassicBuckets();
        if (bounds.isEmpty()) {
          for (int i = 0; i < buckets.size() - 1; i++) {
            bounds.add(buckets.getUpperBound(i));
          }
        }
        add(buckets, all);
        add(
            buckets,
            families
                .computeIfAbsent(String.valueOf(labels.get("keyspace")), k -> new HashMap<>())
                .computeIfAbsent(String.valueOf(labels.get("family")), f -> new ArrayList<>()));
      }
    }

    private static void add(ClassicHistogramBuckets buckets, List<Long> sums) {
      for (int i = 0; i < buckets.size(); i++) {
        if (i == sums.size()) {
          sums.add(0L);
        }
        sums.set(i, sums.get(i) + buckets.getCount(i));
      }
    }

    List<Long> of(String keyspace, String family) {
      return families.getOrDefault(keyspace, Map.of()).getOrDefault(family, List.of());
    }
  }
}
