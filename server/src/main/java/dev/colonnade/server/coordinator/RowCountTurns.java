package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.readrepair.MergedRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A count from several replicas, which agree on one bounded part after the other. */
final class RowCountTurns extends RowTurns<CountAnswer> {

  private static final long PART_BYTES = 1 << 20;

  RowCountTurns(
      StorageEngine engine,
      Clock clock,
      Replicas replicas,
      ReadPlan plan,
      CountRead read,
      AskedReplicas before,
      boolean durable,
      long deadlineNanos) {
    super(
        engine,
        clock,
        replicas,
        plan,
        new Wanted(read.family(), read.key(), read.slice(), Optional.empty(), PART_BYTES, true),
        before,
        durable,
        deadlineNanos);
  }

  @Override
  @Nullable CountAnswer take(ReadAnswer<MergedRow> turn) {
    MergedRow part = taken(turn);
    goOnFrom(part.next());
    return part.next().isPresent() ? null : new CountAnswer(part.counted(), cost());
  }
}
