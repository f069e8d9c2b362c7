package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.AsyncLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lists the documents that any of a clause's super columns has, the newest first, each once. For
 * one thread at a time.
 */
final class CandidateSource {

  /** The fewest documents to read at once of one of many super columns, without positions. */
  private static final int MIN_FETCH = 16;

  private final UserRow row;
  private final int minFetch;
  private final List<PostingCursor> cursors = new ArrayList<>();

  /**
   * Creates a source.
   *
   * @param maxPositions how many positions to read of a document in a super column; 0 for none
   * @param after the document behind which to begin; null for the newest
   */
  CandidateSource(
      UserRow row,
      SearchQuery.Clause clause,
      ToIntFunction<byte[]> maxPositions,
      byte @Nullable [] after) {
    this.row = row;
    int least = MIN_FETCH;
    for (byte[] top : clause.tops()) {
      int most = maxPositions.applyAsInt(top);
      least = most > 0 ? 1 : least;
      cursors.add(new PostingCursor(row, top, most, after));
    }
    this.minFetch = least;
  }

  /** Whether all documents were listed. */
  boolean isExhausted() {
    return cursors.stream().allMatch(cursor -> cursor.isComplete() && cursor.entries().isEmpty());
  }

  /** Reads ahead, so that the next documents are known. */
  CompletableFuture<Void> fill(int limit) {
    int each = cursors.size() == 1 ? limit : Math.max(minFetch, 2 * limit / cursors.size());
    return AsyncLoop.whileTrue(
        () -> {
          for (PostingCursor cursor : cursors) {
            if (cursor.isDry()) {
              return cursor.fetch(each).thenApply(done -> true);
            }
          }
          return CompletableFuture.completedFuture(false);
        });
  }

  /**
   * Whether it has fewer documents than another one, as far as both have read: it has come to an
   * older one. Only of clauses with one super column, after {@link #fill}.
   */
  boolean isSparserThan(CandidateSource other) {
    PostingCursor mine = cursors.get(0);
    PostingCursor others = other.cursors.get(0);
    if (mine.isComplete() != others.isComplete()) {
      return mine.isComplete();
    }
    byte[] last = mine.last();
    byte[] otherLast = others.last();
    if (mine.isComplete() || last == null || otherLast == null) {
      return mine.entries().size() < others.entries().size();
    }
    return row.compareIds(last, otherLast) < 0;
  }

  /** Takes documents for as long as the next one is known; none if {@link #isExhausted}. */
  CompletableFuture<List<Candidate>> next(int limit) {
    return fill(limit).thenApply(done -> take(limit));
  }

  private List<Candidate> take(int limit) {
    List<Candidate> taken = new ArrayList<>();
    while (taken.size() < limit && cursors.stream().noneMatch(PostingCursor::isDry)) {
      byte[] newest = newest();
      if (newest == null) {
        break;
      }
      Candidate candidate = new Candidate(newest);
      for (PostingCursor cursor : cursors) {
        PostingCursor.Entry head = cursor.entries().peekFirst();
        if (head != null && row.compareIds(head.id(), newest) == 0) {
          cursor.entries().removeFirst();
          candidate.add(cursor.top(), head.posting());
        }
      }
      taken.add(candidate);
    }
    return taken;
  }

  private byte @Nullable [] newest() {
    byte[] newest = null;
    for (PostingCursor cursor : cursors) {
      PostingCursor.Entry head = cursor.entries().peekFirst();
      if (head != null && (newest == null || row.compareIds(head.id(), newest) > 0)) {
        newest = head.id();
      }
    }
    return newest;
  }
}
