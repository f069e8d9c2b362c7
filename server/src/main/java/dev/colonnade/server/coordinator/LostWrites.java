package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.Mutation;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.ring.RingNode;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps writes for replicas that did not get them, to be brought to them later. Thread-safe; never
 * blocks.
 */
public interface LostWrites {

  /** Keeps nothing: what a replica missed comes to it by reads and repair only. */
  LostWrites NONE = (replica, mutation) -> CompletableFuture.completedFuture(false);

  /**
   * Keeps one row's changes.
   *
   * @return completes once they are kept as well as a write to this node's log is, with true; false
   *     if they are not, because hints are off, too many or too old. Does not fail
   */
  CompletableFuture<Boolean> keep(RingNode replica, Mutation mutation);

  /**
   * What is kept for a family is void: it was emptied. Completes when that outlasts a restart of
   * this node.
   */
  default CompletableFuture<Void> truncated(FamilyId family) {
    return CompletableFuture.completedFuture(null);
  }

  /** Whether hints are taken at all. */
  default boolean isOn() {
    return this != NONE;
  }
}
