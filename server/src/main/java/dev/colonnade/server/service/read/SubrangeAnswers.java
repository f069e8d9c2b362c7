package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.LiveRows;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.read.RangeSource.ScanPart;
import dev.colonnade.server.service.read.Subranges.Subrange;
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
  private final ScanPace pace;
  private final CompletableFuture<ScanPart> joined = new CompletableFuture<>();

  // Used by one thread at a time: the one that completes the next answer in order.
  private final LiveRows live;
  private CallCost cost = CallCost.NONE;
  private int at;

  /**
   * Creates the join of answers in progress.
   *
   * @param step the read that the subranges are parts of
   */
  SubrangeAnswers(
      RangeCommand step,
      List<Subrange> pieces,
      List<CompletableFuture<ScanPart>> answers,
      ScanPace pace) {
    this.pieces = pieces;
    this.answers = answers;
    this.live = new LiveRows(step);
    this.pace = pace;
  }

  /** The joined answer; cancelling it cancels all reads. */
  CompletableFuture<ScanPart> begin() {
    Then.onBehalfOf(joined, this::takeThoseThere);
    Then.whenDone(joined, (part, failure) -> cancelRest());
    return joined;
  }

  private void cancelRest() {
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
        take(next.getNow(null));
      }
    }
  }

  private void take(ScanPart part) {
    cost = cost.plus(part.cost());
    for (RowCells row : part.page().rows()) {
      if (!live.isWanted(row.key())) {
        end(null);
        return;
      }
      live.list(row);
    }
    Optional<RangePosition> next = part.page().next();
    if (next.isPresent()) {
      live.pauseAt(next.get().row(), next.get().inside(), part.page().topContinues());
      end(null);
    } else if (at + 1 == pieces.size() || live.isLimitReached()) {
      end(pieces.get(at));
    } else {
      at++;
    }
  }

  /**
   * Returns the rows found before the failure; the next step starts at the failed subrange and
   * reports the failure.
   */
  private void failed(CompletableFuture<ScanPart> answer) {
    if (at == 0) {
      Then.relay(answer, joined);
    } else {
      end(pieces.get(at - 1));
    }
  }

  /** Ends after a complete subrange, or, without one, where the last answer taken has ended. */
  private void end(@Nullable Subrange complete) {
    boolean wouldTakeMore = complete != null && at + 1 == pieces.size() && !live.isLimitReached();
    pace.took(pieces.size(), at + 1, wouldTakeMore);
    joined.complete(
        new ScanPart(
            live.page(),
            complete == null || complete.isLast() ? null : complete.end().orElse(null),
            cost));
  }
}
