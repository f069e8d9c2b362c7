package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.ring.ReplicaPlacement;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests out over the replicas of their rows. The ring has one node so far, so the only
 * replica that can be alive is this node's own store; levels that need more are refused before
 * anything is done.
 *
 * <p>Thread-safe; never blocks.
 */
public final class Coordinator implements RowStore, RowToucher {

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final ClusterView cluster;
  private final Clock clock;
  private final Deadlines deadlines;

  /** Joins the local store with what is known of schema and ring. */
  public Coordinator(
      StorageEngine engine,
      SchemaStore schema,
      ClusterView cluster,
      Clock clock,
      Scheduler scheduler) {
    this.engine = engine;
    this.schema = schema;
    this.cluster = cluster;
    this.clock = clock;
    this.deadlines = new Deadlines(clock, scheduler);
  }

  @Override
  public CompletableFuture<SlicePage> read(SliceRead read) {
    CoordinationException refusal = refusal(read.consistency(), read.family(), read.key());
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    SliceTurns turns = new SliceTurns(engine, clock, read, clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  @Override
  public CompletableFuture<CountAnswer> count(CountRead read) {
    CoordinationException refusal = refusal(read.consistency(), read.family(), read.key());
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    CountTurns turns = new CountTurns(engine, clock, read, clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  @Override
  public CompletableFuture<RangePage> readRange(RangeRead read) {
    for (RowRange range : read.ranges()) {
      CoordinationException refusal = refusal(read.consistency(), read.family(), range.start());
      if (refusal != null) {
        return CompletableFuture.failedFuture(refusal);
      }
    }
    RangeTurns turns = new RangeTurns(engine, clock, read, clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), read.consistency(), read.deadlineNanos());
  }

  @Override
  public CompletableFuture<Void> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    for (RowMutation mutation : mutations) {
      for (RowMutation.FamilyUpdate update : mutation.updates()) {
        CoordinationException refusal = refusal(consistency, update.family(), mutation.key());
        if (refusal != null) {
          return CompletableFuture.failedFuture(refusal);
        }
      }
    }
    if (deadlines.isOver(deadlineNanos)) {
      return CompletableFuture.failedFuture(Deadlines.tooLate(consistency));
    }
    long nowSeconds = clock.wallSeconds();
    List<CompletableFuture<Void>> writes = new ArrayList<>(mutations.size());
    for (RowMutation mutation : mutations) {
      writes.add(engine.write(local(mutation, nowSeconds), durable));
    }
    if (consistency == Consistency.ZERO) {
      return CompletableFuture.completedFuture(null);
    }
    return deadlines.limit(
        translated(
            writes.size() == 1
                ? writes.get(0)
                : CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0]))),
        consistency,
        deadlineNanos);
  }

  @Override
  public CompletableFuture<Integer> touch(TouchRead touch) {
    for (RowKey key : touch.keys()) {
      CoordinationException refusal = refusal(Consistency.ONE, touch.family(), key);
      if (refusal != null) {
        return CompletableFuture.failedFuture(refusal);
      }
    }
    TouchTurns turns = new TouchTurns(engine, clock, touch, clock.wallSeconds());
    turns.begin();
    return deadlines.limit(turns.answer(), Consistency.ONE, touch.deadlineNanos());
  }

  private static Mutation local(RowMutation mutation, long nowSeconds) {
    List<Mutation.Part> parts = new ArrayList<>(mutation.updates().size());
    for (RowMutation.FamilyUpdate update : mutation.updates()) {
      parts.add(new Mutation.Part(update.family().id(), update.update()));
    }
    return new Mutation(mutation.key(), parts, nowSeconds);
  }

  private static <T> CompletableFuture<T> translated(CompletableFuture<T> future) {
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return future;
    }
    CompletableFuture<T> translated = new CompletableFuture<>();
    var unused =
        future.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                translated.complete(value);
              } else {
                translated.completeExceptionally(StorageFailures.translate(failure));
              }
            });
    return translated;
  }

  /** Why a request for a row cannot be carried out now; null if it can. */
  private @Nullable CoordinationException refusal(
      Consistency consistency, ColumnFamily family, RowKey key) {
    Keyspace keyspace = schema.current().keyspace(family.keyspace()).orElse(null);
    if (keyspace == null) {
      return new CoordinationException.NodeNotReady(
          "the keyspace " + family.keyspace() + " was dropped while the request was under way");
    }
    RingNode self = cluster.self();
    List<RingNode> replicas =
        ReplicaPlacement.of(keyspace, self).replicas(cluster.ring(), key.token());
    List<RingNode> alive = replicas.stream().filter(self::equals).toList();
    ReplicaPlan plan = ReplicaPlan.of(consistency, keyspace, alive, self.datacenter());
    return plan.isMet()
        ? null
        : new CoordinationException.NotEnoughReplicas(consistency, plan.required(), plan.alive());
  }
}
