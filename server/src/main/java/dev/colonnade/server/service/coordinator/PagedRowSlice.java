package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.service.readrepair.ResolvedRow;
import dev.colonnade.server.storage.engine.StorageEngine;
import org.jspecify.annotations.Nullable;

/** Reads one page of a slice from several replicas. */
final class PagedRowSlice extends PagedRowRead<SlicePage> {

  PagedRowSlice(
      StorageEngine engine,
      Clock clock,
      Replicas replicas,
      ReadPlan plan,
      SliceRead read,
      AskedReplicas before,
      boolean durable,
      long deadlineNanos) {
    super(
        engine,
        clock,
        replicas,
        plan,
        new Wanted(read.family(), read.key(), read.slice(), read.from(), read.pageBytes(), false),
        before,
        durable,
        deadlineNanos);
  }

  @Override
  @Nullable SlicePage take(ReadAnswer<ResolvedRow> turn) {
    RowPage page = taken(turn).page();
    if (page.cells().isEmpty() && page.next().isPresent()) {
      goOnFrom(page.next());
      return null;
    }
    return new SlicePage(page.cells(), page.next(), page.topContinues(), cost());
  }
}
