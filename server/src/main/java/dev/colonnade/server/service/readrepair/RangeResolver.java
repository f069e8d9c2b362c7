package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.LiveRows;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SliceCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the answers of several replicas for rows in token order: row by row, up to the nearest
 * end of the answers, or to the first row that is incomplete in them. For one page.
 */
public final class RangeResolver {

  private final PathOrder order;
  private final RangeCommand command;
  private final List<RangeFragment> answers;
  private final int[] at;
  private final Optional<RowKey> end;

  private final LiveRows live;
  private final List<List<ResolvedRange.Correction>> corrections = new ArrayList<>();

  private RangeResolver(PathOrder order, RangeCommand command, List<RangeFragment> answers) {
    this.order = order;
    this.command = command;
    this.answers = answers;
    this.at = new int[answers.size()];
    this.end = nearestEnd(answers);
    this.live = new LiveRows(command);
    for (int i = 0; i < answers.size(); i++) {
      corrections.add(new ArrayList<>());
    }
  }

  /**
   * Resolves one page.
   *
   * @param command the read that the replicas answered; its page is made here
   * @param answers at least one
   */
  public static ResolvedRange merge(
      PathOrder order, RangeCommand command, List<RangeFragment> answers) {
    RangeResolver merge = new RangeResolver(order, command, answers);
    merge.run();
    return new ResolvedRange(merge.live.page(), merge.corrections);
  }

  private static Optional<RowKey> nearestEnd(List<RangeFragment> answers) {
    Optional<RowKey> nearest = Optional.empty();
    for (RangeFragment answer : answers) {
      Optional<RowKey> end = answer.end();
      if (end.isPresent() && (nearest.isEmpty() || end.get().compareTo(nearest.get()) < 0)) {
        nearest = end;
      }
    }
    return nearest;
  }

  private void run() {
    RowKey previous = null;
    for (RowKey key = nextKey(); key != null; key = nextKey()) {
      if (!live.isWanted(key)) {
        return;
      }
      if (previous != null && live.bytesLeft() <= 0) {
        live.pauseBehind(previous);
        return;
      }
      previous = key;
      if (!mergeRow(key)) {
        return;
      }
    }
    if (end.isPresent() && !live.isLimitReached()) {
      live.pauseBehind(end.get());
    }
  }

  /** The next row that is in any answer and covered by all of them. */
  private @Nullable RowKey nextKey() {
    RowKey least = null;
    for (int i = 0; i < at.length; i++) {
      List<RangeFragment.Row> known = answers.get(i).rows();
      if (at[i] < known.size()) {
        RowKey key = known.get(at[i]).key();
        least = least == null || key.compareTo(least) < 0 ? key : least;
      }
    }
    return least != null && end.isPresent() && least.compareTo(end.get()) > 0 ? null : least;
  }

  /** Resolves one row; false if the page ends inside it. */
  private boolean mergeRow(RowKey key) {
    ResolvedRow row =
        RowResolver.merge(
            order,
            new SliceCommand(
                key,
                command.sliceOfRow(),
                command.from(key),
                Math.max(1, live.bytesLeft()),
                command.keysOnly(),
                command.nowSeconds()),
            take(key));
    for (int i = 0; i < at.length; i++) {
      RowUpdate correction = row.corrections().get(i);
      if (!correction.isEmpty()) {
        corrections.get(i).add(new ResolvedRange.Correction(key, correction));
      }
    }
    return live.take(
        key, row.page(), row.page().cells().stream().mapToLong(LiveCells::costOf).sum());
  }

  /** Takes the row's fragment from each answer; an answer without the row gives an empty one. */
  private List<RowFragment> take(RowKey key) {
    List<RowFragment> known = new ArrayList<>(at.length);
    for (int i = 0; i < at.length; i++) {
      List<RangeFragment.Row> all = answers.get(i).rows();
      if (at[i] < all.size() && all.get(at[i]).key().equals(key)) {
        known.add(all.get(at[i]++).fragment());
      } else {
        known.add(RowFragment.NOTHING);
      }
    }
    return known;
  }

  /**
   * One page of a scan, resolved from all answers.
   *
   * @param page as one store that has everything would answer it
   * @param corrections what each replica lacks, row by row, in the order of the answers; empty
   *     lists for those that lack nothing
   */
  public record ResolvedRange(RangeRows page, List<List<Correction>> corrections) {

    /** What a replica lacks of one row; never empty. */
    public record Correction(RowKey key, RowUpdate update) {}
  }
}
