package dev.colonnade.server.service.read;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.ReadAnswer;
import dev.colonnade.server.service.replica.PagedRead;
import dev.colonnade.server.storage.engine.ReadMode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page of a slice, or counts the slice: turns until there is something to return or
 * nothing left; when counting, until nothing is left.
 */
public final class PagedRowRead extends PagedRead<ReadAnswer<RowPage>, SlicePage> {

  /** Where a turn reads: this node's store, or the replicas of the row. */
  @FunctionalInterface
  interface TurnReader {
    CompletableFuture<ReadAnswer<RowPage>> read(SliceCommand command, ReadMode here);
  }

  private final TurnReader source;
  private final SliceRead read;
  private final long nowSeconds;
  private Optional<SlicePosition> from;
  private CallCost cost;

  /**
   * Prepares the turns.
   *
   * @param required how many replicas each turn needs
   * @param before replicas that were asked without success
   */
  PagedRowRead(
      TurnReader source,
      Clock clock,
      SliceRead read,
      int required,
      AskedReplicas before,
      long deadlineNanos) {
    super(clock, read.consistency(), required, deadlineNanos);
    this.source = source;
    this.read = read;
    this.nowSeconds = clock.wallSeconds();
    this.from = read.from();
    this.cost = CallCost.of(before);
  }

  @Override
  public CompletableFuture<ReadAnswer<RowPage>> turn() {
    return source.read(read.command(from, nowSeconds), mode());
  }

  @Override
  public @Nullable SlicePage take(ReadAnswer<RowPage> turn) {
    cost = cost.plus(turn.cost());
    RowPage page = turn.result();
    if (page.next().isPresent() && (read.countOnly() || page.found().isEmpty())) {
      from = page.next();
      return null;
    }
    return new SlicePage(page.found(), page.counted(), page.next(), page.topContinues(), cost);
  }
}
