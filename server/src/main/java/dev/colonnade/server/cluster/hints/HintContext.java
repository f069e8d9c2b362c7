package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * What hints need to know of the cluster. Thread-safe; answers come from immutable snapshots and
 * never block.
 */
public interface HintContext {

  /** Where the node is; empty while it is not known to be up, or accepts no writes. */
  Optional<Peer> reach(String nodeId);

  /** Whether the node has left the cluster, or was removed or replaced, for good. */
  boolean isGone(String nodeId);

  /** How long the family keeps deletions; empty if there is no such family any more. */
  OptionalLong gcGraceSeconds(FamilyId family);

  /** The last truncation of the family; 0 if there was none. Hints from before it are void. */
  long truncation(FamilyId family);

  /** Whether the node owns the row, or is about to. */
  boolean isReplica(String nodeId, FamilyId family, RowKey key);

  /**
   * Writes to the current owners of the row, when the target no longer owns it. Completes when at
   * least one of them has it.
   */
  CompletableFuture<Void> handOver(Mutation mutation);
}
