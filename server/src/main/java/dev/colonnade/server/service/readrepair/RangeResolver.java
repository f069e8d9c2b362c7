package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the answers of several replicas for rows in token order: row by row, up to the nearest
 * end of the answers, or to the first row that is incomplete in them. For one page.
 */
public final class RangeResolver {

  private final RangeMergeSpec question;
  private final List<RangeFragment> answers;
  private final int[] at;
  private final Optional<RowKey> end;

  private final List<ResolvedRange.ResolvedRangeRow> rows = new ArrayList<>();
  private final List<List<ResolvedRange.Correction>> corrections = new ArrayList<>();
  private ResolvedRange.@Nullable ResolvedPause paused;
  private boolean topContinues;
  private long listed;
  private long bytesLeft;

  private RangeResolver(RangeMergeSpec question, List<RangeFragment> answers) {
    this.question = question;
    this.answers = answers;
    this.at = new int[answers.size()];
    this.end = nearestEnd(answers);
    this.bytesLeft = question.bytes();
    for (int i = 0; i < answers.size(); i++) {
      corrections.add(new ArrayList<>());
    }
  }

  /**
   * Resolves one page.
   *
   * @param answers at least one; all to the same read
   */
  public static ResolvedRange merge(RangeMergeSpec question, List<RangeFragment> answers) {
    RangeResolver merge = new RangeResolver(question, answers);
    merge.run();
    return new ResolvedRange(
        merge.rows, Optional.ofNullable(merge.paused), merge.topContinues, merge.corrections);
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
      boolean isStart = key.equals(question.start());
      boolean counts = !(isStart && question.startListed());
      if (counts && listed >= question.rowLimit()) {
        return;
      }
      if (previous != null && bytesLeft <= 0) {
        paused = new ResolvedRange.ResolvedPause(previous, Optional.empty());
        return;
      }
      previous = key;
      int before = rows.size();
      boolean done = mergeRow(key, isStart ? question.inside() : Optional.empty());
      if (counts && rows.size() > before) {
        listed++;
      }
      if (!done) {
        return;
      }
    }
    if (end.isPresent() && listed < question.rowLimit()) {
      paused = new ResolvedRange.ResolvedPause(end.get(), Optional.empty());
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
  private boolean mergeRow(RowKey key, Optional<SlicePosition> from) {
    // One live column is enough to list a key; a limit of 0 lists nothing.
    Slice slice = question.keysOnly() ? question.slice().atMost(1) : question.slice();
    ResolvedRow row =
        RowResolver.merge(
            new SliceMergeSpec(
                question.order(),
                slice,
                from,
                Math.max(1, bytesLeft),
                question.keysOnly(),
                question.nowSeconds()),
            take(key));
    for (int i = 0; i < at.length; i++) {
      RowUpdate correction = row.corrections().get(i);
      if (!correction.isEmpty()) {
        corrections.get(i).add(new ResolvedRange.Correction(key, correction));
      }
    }
    long countedBefore = from.map(SlicePosition::counted).orElse(0L);
    boolean live = !row.cells().isEmpty() || row.counted() > countedBefore;
    if (live || (question.includeEmptyRows() && from.isEmpty())) {
      rows.add(new ResolvedRange.ResolvedRangeRow(key, row.cells()));
      bytesLeft -= key.key().length;
    }
    row.cells().forEach(cell -> bytesLeft -= LiveCells.costOf(cell));
    boolean done = row.next().isEmpty() || (question.keysOnly() && live);
    if (!done) {
      paused = new ResolvedRange.ResolvedPause(key, row.next());
      topContinues = row.topContinues();
    }
    return done;
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
}
