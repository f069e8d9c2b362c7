package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.ring.RingNode;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps writes for replicas that did not get them, to be brought to them later. Thread-safe; never
 * blocks.
 */
public interface HintSink {

  /** Keeps nothing: what a replica missed comes to it by reads and repair only. */
  HintSink NONE = (replica, mutation, counts) -> CompletableFuture.completedFuture(false);

  /**
   * Keeps one row's changes.
   *
   * @param counts whether the writer takes this for an answer, as at level ANY: then it is durable
   *     before it is said to be kept, whatever the log does, since it may be the only copy
   * @return completes once they are kept, with true; false if they are not, because hints are off,
   *     too many or too old. Does not fail
   */
  CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation, boolean counts);

  /** Whether hints are taken at all. */
  default boolean isOn() {
    return this != NONE;
  }
}
