package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.io.IOException;

/**
 * What {@link WritePipeline} does with mutations beside logging them. Called by the draining thread
 * alone, one call at a time.
 */
interface MutationApplier {
  /**
   * Returns the part of the mutation still to be written, given the writes ordered before it.
   *
   * @return usually the mutation itself; without parts if nothing of it is left
   * @throws TruncationPendingException if a truncation must be applied first
   */
  Mutation admit(Mutation mutation);

  /**
   * Whether memtables have room for writes. If not, this begins the flushes that will make room.
   *
   * @param reached the position of the log up to which everything is applied
   */
  boolean hasRoom(LogPosition reached);

  /** Whether memtables have no room, as far as it is known; for any thread. */
  boolean isFull();

  /** Whether memtables have no room, and flushes make no progress to change that; any thread. */
  boolean isStuck();

  /**
   * Computes what a mutation makes of its rows in memory, on top of what was prepared before it.
   * This makes all comparisons of names, so that publishing cannot fail in a comparator.
   *
   * @return what to publish; nothing has changed yet, also if this throws what a comparator throws
   */
  PreparedMutation prepare(Mutation mutation);

  /**
   * Makes prepared mutations visible to readers, in the same order; {@code logged} if it is in the
   * log.
   */
  void publish(PreparedMutation prepared, boolean logged);

  /** Discards what was prepared and not published. */
  void forgetPrepared();

  /** A turn is over; all records up to {@code reached} are applied. */
  void afterTurn(LogPosition reached);

  /** The log failed; no more writes will come. */
  void logFailed(IOException cause);
}
