package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads a row from several replicas in turns, each a bounded part of the slice.
 *
 * @param <A> the answer
 */
abstract class PagedRowRead<A> extends PagedRead<ReadAnswer<ResolvedRow>, A> {

  /** The row and the slice of it to read. */
  record Wanted(
      ColumnFamily family,
      RowKey key,
      Slice slice,
      Optional<SlicePosition> from,
      long partBytes,
      boolean countOnly) {}

  private final StorageEngine engine;
  private final Replicas replicas;
  private final ReadPlan plan;
  private final Wanted wanted;
  private final boolean durable;
  private final long nowSeconds;
  private final long deadlineNanos;
  private Optional<SlicePosition> from;
  private CallCost cost;

  /**
   * Creates turns over the replicas of a plan.
   *
   * @param before replicas already asked without success
   */
  PagedRowRead(
      StorageEngine engine,
      Clock clock,
      Replicas replicas,
      ReadPlan plan,
      Wanted wanted,
      AskedReplicas before,
      boolean durable,
      long deadlineNanos) {
    super(clock, plan.consistency(), plan.requirement().required(), deadlineNanos);
    this.engine = engine;
    this.replicas = replicas;
    this.plan = plan;
    this.wanted = wanted;
    this.durable = durable;
    this.nowSeconds = clock.wallSeconds();
    this.deadlineNanos = deadlineNanos;
    this.from = wanted.from();
    this.cost = CallCost.of(before);
  }

  @Override
  CompletableFuture<ReadAnswer<ResolvedRow>> turn() {
    SliceCommand query =
        new SliceCommand(
            wanted.key(),
            wanted.slice(),
            from,
            Math.min(wanted.partBytes(), ReplicaReads.PART_BYTES_MAX),
            wanted.countOnly(),
            nowSeconds);
    RowReadCommand question = new RowReadCommand(engine, wanted.family(), query);
    return new ReplicaRead<>(replicas, plan, question, durable, deadlineNanos).begin();
  }

  /** Adds the turn's cost and returns its result. */
  ResolvedRow taken(ReadAnswer<ResolvedRow> turn) {
    cost = cost.plus(turn.cost());
    return turn.result();
  }

  CallCost cost() {
    return cost;
  }

  void goOnFrom(Optional<SlicePosition> next) {
    from = next;
  }
}
