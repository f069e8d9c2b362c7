package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts a slice over several replicas, which agree on one bounded part after the other. */
final class PagedRowCount extends PagedRowRead<CountAnswer> {

  private static final long PART_BYTES = 1 << 20;

  PagedRowCount(
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
  @Nullable CountAnswer take(ReadAnswer<ResolvedRow> turn) {
    RowPage part = taken(turn).page();
    goOnFrom(part.next());
    return part.next().isPresent() ? null : new CountAnswer(part.counted(), cost());
  }
}
