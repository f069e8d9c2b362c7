package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowPosition;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.read.RangeSource.ScanPart;
import dev.colonnade.server.service.read.Subranges.Subrange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Joins the answers of subranges that were read at once, in their order: up to the first one that
 * is not complete, that brings the wanted number of rows, or that fails. The reads after it are
 * cancelled and repeated later if needed.
 *
 * <p>Thread-safe.
 */
final class SubrangeAnswers {
  private final List<Subrange> pieces;
  private final List<CompletableFuture<ScanPart>> answers;
  private final long rowLimit;
  private final boolean startListed;
  private final ScanPace pace;
  private final CompletableFuture<ScanPart> joined = new CompletableFuture<>();

  // Used by one thread at a time: the one that completes the next answer in order.
  private final List<RowCells> rows = new ArrayList<>();
  private CallCost cost = CallCost.NONE;
  private long listed;
  private int at;

  /**
   * Creates the join of answers in progress.
   *
   * @param rowLimit how many rows are wanted of all together
   * @param startListed whether the first subrange's first row does not count
   */
  SubrangeAnswers(
      List<Subrange> pieces,
      List<CompletableFuture<ScanPart>> answers,
      long rowLimit,
      boolean startListed,
      ScanPace pace) {
    this.pieces = pieces;
    this.answers = answers;
    this.rowLimit = rowLimit;
    this.startListed = startListed;
    this.pace = pace;
  }

  /** The joined answer; cancelling it cancels all reads. */
  CompletableFuture<ScanPart> begin() {
    Then.onBehalfOf(joined, this::takeThoseThere);
    Then.whenDone(joined, (part, failure) -> callOffRest());
    return joined;
  }

  private void callOffRest() {
    answers.forEach(answer -> answer.cancel(false));
  }

  private void takeThoseThere() {
    while (!joined.isDone()) {
      CompletableFuture<ScanPart> next = answers.get(at);
      if (!next.isDone()) {
        Then.whenDone(next, joined, (part, failure) -> takeThoseThere());
        return;
      }
      if (next.isCompletedExceptionally()) {
        failed(next);
      } else {
        take(next.getNow(ScanPart.NOTHING));
      }
    }
  }

  private void take(ScanPart part) {
    cost = cost.plus(part.cost());
    boolean continued = startListed && at == 0 && goesOnAtStart(part);
    long counted = (long) part.page().rows().size() - (continued ? 1 : 0);
    if (listed + counted > rowLimit) {
      List<RowCells> wanted =
          part.page()
              .rows()
              .subList(0, part.page().rows().size() - (int) (listed + counted - rowLimit));
      rows.addAll(wanted);
      end(new RowPosition(rows.get(rows.size() - 1).key(), Optional.empty()), false, null);
      return;
    }
    rows.addAll(part.page().rows());
    listed += counted;
    if (part.page().paused().isPresent()) {
      end(part.page().paused().get(), part.page().topContinues(), null);
    } else if (at + 1 == pieces.size() || listed >= rowLimit) {
      end(null, false, pieces.get(at));
    } else {
      at++;
    }
  }

  private boolean goesOnAtStart(ScanPart part) {
    return !part.page().rows().isEmpty()
        && part.page().rows().get(0).key().equals(pieces.get(0).start());
  }

  /**
   * Returns the rows found before the failure; the next step starts at the failed subrange and
   * reports the failure.
   */
  private void failed(CompletableFuture<ScanPart> answer) {
    if (at == 0) {
      Then.relay(answer, joined);
    } else {
      end(null, false, pieces.get(at - 1));
    }
  }

  /** Ends after a complete subrange, or where one has paused. */
  private void end(
      @Nullable RowPosition paused, boolean topContinues, @Nullable Subrange complete) {
    pace.took(
        pieces.size(), at + 1, paused == null && at + 1 == pieces.size() && listed < rowLimit);
    joined.complete(
        new ScanPart(
            new RangeRows(rows, Optional.ofNullable(paused), topContinues),
            complete == null || complete.isLast() ? null : complete.end().orElse(null),
            cost));
  }
}
