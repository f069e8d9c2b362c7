package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorFigures;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.service.consistency.ReadCounters;
import dev.colonnade.server.service.consistency.ReplicaRequest;
import dev.colonnade.server.service.consistency.ReplicaSorter;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.SpeculativeRetry;
import dev.colonnade.server.service.consistency.WritePlan;
import dev.colonnade.server.service.read.CoordinatedReads;
import dev.colonnade.server.service.read.CoordinatedTouch;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.ReadRepairSampler;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.replica.TouchRead;
import dev.colonnade.server.service.write.BatchResult;
import dev.colonnade.server.service.write.HintSink;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.service.write.WriteHandler;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates requests over the replicas of their rows.
 *
 * <ul>
 *   <li>Whether enough replicas are up is decided before anything is sent.
 *   <li>If this node's own store is all that a request needs, it is called directly, without
 *       messages.
 *   <li>One request uses one snapshot of the topology.
 * </ul>
 *
 * <p>Thread-safe; never blocks.
 */
public final class Coordinator implements RowStore, RowToucher {

  private final SchemaStore schema;
  private final ClusterView cluster;
  private final Clock clock;
  private final Deadlines deadlines;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final StorageEngine engine;
  private final Replicas replicas;
  private final CoordinatedReads reads;
  private final CoordinatedTouch touches;
  private final HintSink hintSink;
  private final TimestampWatch timestamps = new TimestampWatch();
  private final CoordinatorSettings settings;

  /** Creates the coordinator of a node without peers. */
  public Coordinator(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      Clock clock,
      Scheduler scheduler) {
    this(
        engine,
        schema,
        cluster,
        clock,
        scheduler,
        PeerClient.NONE,
        HintSink.NONE,
        CoordinatorSettings.DEFAULT,
        0);
  }

  /**
   * Creates a coordinator over the local store and the other nodes.
   *
   * @param peers sends requests to the other nodes
   * @param hintSink keeps writes for replicas that did not take them
   * @param seed of the random choice of reads that compare all replicas
   */
  public Coordinator(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      Clock clock,
      Scheduler scheduler,
      PeerClient peers,
      HintSink hintSink,
      CoordinatorSettings settings,
      long seed) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.clock = clock;
    this.deadlines = new Deadlines(clock, scheduler, settings.timeout());
    ReplicaSorter sorter =
        new ReplicaSorter(clock, cluster.nodeId(), settings.hedgeFloor().toNanos());
    SpeculativeRetry speculativeRetry =
        new SpeculativeRetry(clock, scheduler, settings.hedgeFloor().dividedBy(4));
    this.replicas =
        new Replicas(
            engine,
            cluster.nodeId(),
            peers,
            deadlines,
            new ReplicaRequest.RequestContext(clock, sorter, speculativeRetry, new ReadCounters()),
            settings.readRepair());
    this.reads =
        new CoordinatedReads(
            engine,
            schema,
            cluster,
            clock,
            deadlines,
            replicas,
            settings,
            new ReadRepairSampler(seed));
    this.touches =
        new CoordinatedTouch(engine, schema, cluster, clock, deadlines, replicas, settings);
    this.hintSink = hintSink;
    this.settings = settings;
  }

  /** Changes whether replicas that differ are repaired before a read is answered. */
  public void readRepair(boolean on) {
    replicas.readRepair(on);
  }

  /** Changes how long calls take that begin from now on, if their caller has no deadline. */
  public void timeout(Duration changed) {
    deadlines.timeout(changed);
  }

  @Override
  public CompletableFuture<SlicePage> read(SliceRead read) {
    return reads.slice(read);
  }

  @Override
  public CompletableFuture<RangePage> readRange(RangeRead read) {
    return reads.range(read);
  }

  @Override
  public CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    return write(mutations, durable, consistency, deadlineNanos, null);
  }

  @Override
  public CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations,
      boolean durable,
      Consistency consistency,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    Optional<String> unready = cluster.unready();
    if (unready.isPresent()) {
      return CompletableFuture.failedFuture(new CoordinationException.NodeNotReady(unready.get()));
    }
    long nowMicros = clock.wallMicros();
    Topology topology = cluster.topology();
    List<WritePlan> plans = new ArrayList<>(mutations.size());
    for (RowMutation mutation : mutations) {
      if (mutation.updates().isEmpty()) {
        continue;
      }
      String name = mutation.updates().get(0).family().keyspace();
      Keyspace keyspace = schema.current().keyspace(name).orElse(null);
      if (keyspace == null) {
        return CompletableFuture.failedFuture(dropped(name));
      }
      WritePlan plan = WritePlan.of(stored(mutation, nowMicros), consistency, keyspace, topology);
      if (!plan.isMet(hintSink.isOn())) {
        return CompletableFuture.failedFuture(plan.refusal());
      }
      plans.add(plan);
      if (trace != null) {
        trace.add(CallTrace.Step.PLANNED, "", plan.inWords());
      }
    }
    if (deadlines.isOver(deadlineNanos)) {
      return CompletableFuture.failedFuture(Deadlines.tooLate(consistency));
    }
    return BatchResult.joined(send(plans, durable, deadlineNanos, trace));
  }

  @Override
  public boolean isBehind() {
    Topology topology = cluster.topology();
    return engine.isBehind() && !topology.isChanging() && topology.ring().nodes().size() == 1;
  }

  @Override
  public boolean isCatchingUp() {
    return engine.isBehind() && !engine.isStuck();
  }

  /**
   * Writes a row's changes unaltered to the present owners of the row: changes that were kept as
   * hints for a node that no longer owns it. Completes when one owner has them.
   */
  public CompletableFuture<Void> handOver(Mutation mutation) {
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamily family = schema.current().families().get(part.family());
      Keyspace keyspace =
          family == null ? null : schema.current().keyspace(family.keyspace()).orElse(null);
      if (keyspace != null) {
        WritePlan plan = WritePlan.of(mutation, Consistency.ONE, keyspace, cluster.topology());
        return plan.isMet(false)
            ? BatchResult.joined(send(List.of(plan), true, Long.MAX_VALUE, null))
                .thenAccept(asked -> {})
            : CompletableFuture.failedFuture(plan.refusal());
      }
    }
    // The families were dropped, and their data with them.
    return CompletableFuture.completedFuture(null);
  }

  private List<CompletableFuture<AskedReplicas>> send(
      List<WritePlan> plans, boolean durable, long deadlineNanos, @Nullable CallTrace trace) {
    long limitNanos = deadlines.ofReplicas(deadlineNanos, settings);
    List<CompletableFuture<AskedReplicas>> writes = new ArrayList<>(plans.size());
    for (WritePlan plan : plans) {
      writes.add(
          plan.isHereOnly(cluster.nodeId())
              ? replicas.writeHere(plan, durable, deadlineNanos, trace)
              : new WriteHandler(plan, replicas, hintSink, trace).begin(durable, limitNanos));
    }
    return writes;
  }

  @Override
  public CompletableFuture<Integer> touch(TouchRead touch) {
    return touches.touch(touch);
  }

  /** What was noticed of the timestamps of writes. */
  public TimestampWatch timestamps() {
    return timestamps;
  }

  /** Counts of what reads of several replicas found. */
  public CoordinatorFigures figures() {
    return replicas.tools().counters().figures();
  }

  private Mutation stored(RowMutation mutation, long nowMicros) {
    List<Mutation.FamilyMutation> parts = new ArrayList<>(mutation.updates().size());
    for (RowMutation.FamilyUpdate update : mutation.updates()) {
      timestamps.look(update.family(), update.update(), nowMicros);
      parts.add(
          new Mutation.FamilyMutation(
              update.family().id(), update.update(), update.family().truncation()));
    }
    return new Mutation(mutation.key(), parts, Math.floorDiv(nowMicros, MICROS_PER_SECOND));
  }

  private static CoordinationException dropped(String keyspace) {
    return new CoordinationException.NodeNotReady(
        "the keyspace " + keyspace + " was dropped during the request");
  }
}
