package dev.colonnade.server.service.search;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads the documents of one super column, the newest first. For one thread at a time. */
final class PostingCursor {

  /** A document of the super column. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Entry(byte[] id, Posting posting) {}

  private final UserRow row;
  private final byte[] top;
  private final int maxPositions;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private byte @Nullable [] last;
  private boolean complete;

  /**
   * Creates a cursor.
   *
   * @param maxPositions how many positions of each document to read; 0 for none
   * @param after the document behind which to begin; null for the newest
   */
  PostingCursor(UserRow row, byte[] top, int maxPositions, byte @Nullable [] after) {
    this.row = row;
    this.top = top;
    this.maxPositions = maxPositions;
    this.last = after;
  }

  byte[] top() {
    return top;
  }

  /** What was read and not taken yet, the newest first. */
  ArrayDeque<Entry> entries() {
    return entries;
  }

  /** Whether nothing is left to read. */
  boolean isComplete() {
    return complete;
  }

  /** The last document that was read; null for none. */
  byte @Nullable [] last() {
    return last;
  }

  /** Whether a read is needed to know the next document. */
  boolean isDry() {
    return entries.isEmpty() && !complete;
  }

  /** Reads on. */
  CompletableFuture<Void> fetch(int limit) {
    var count =
        new Object() {
          int cells;
        };
    return row.readNewest(
            IndexLayout.olderThan(top, last),
            limit,
            cell -> {
              count.cells++;
              byte[] id = cell.name();
              last = id;
              Posting.of(cell, maxPositions)
                  .ifPresent(posting -> entries.addLast(new Entry(id, posting)));
            })
        .thenApply(
            done -> {
              complete = count.cells < limit;
              return null;
            });
  }
}
