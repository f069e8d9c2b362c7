package dev.colonnade.server.service.write;

import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.concurrent.CompletableFuture;

/**
 * Stores hints: writes for replicas that did not get them, to be delivered later. Thread-safe;
 * never blocks.
 */
public interface HintSink {

  /** Stores nothing: a replica gets missed writes by read repair and anti-entropy repair only. */
  HintSink NONE = (replica, mutation, counts) -> CompletableFuture.completedFuture(false);

  /**
   * Stores one row's changes as a hint.
   *
   * @param counts whether the hint counts as an acknowledgement, as at level ANY. If so it is
   *     durable before the future completes, whatever the log's sync mode, since it may be the only
   *     copy
   * @return completes with true once the hint is stored; with false if it is not, because hints are
   *     off, too many or too old. Does not fail
   */
  CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation, boolean counts);

  /** Whether hints are enabled. */
  default boolean isOn() {
    return this != NONE;
  }
}
