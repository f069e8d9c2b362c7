package dev.colonnade.server.service.backup;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Takes, lists and clears snapshots, on this node or on all nodes at once. Thread-safe; never
 * blocks.
 *
 * <p>Futures fail with a {@link dev.colonnade.server.storage.snapshot.SnapshotRefusedException} if
 * the request cannot be met, a {@link
 * dev.colonnade.server.service.consistency.CoordinationException}, or with another exception for
 * our own bugs. Cluster-wide they fail only if no node could do it; nodes that failed are listed.
 */
public interface SnapshotOperations {

  /**
   * Takes a snapshot.
   *
   * @param families those of the keyspace {@code system} are left out
   * @param clusterWide on every node
   * @param progress called now and then, one call at a time; must not block
   * @return cancelling it stops the work
   */
  CompletableFuture<SnapshotAnswers> take(
      String name, List<FamilyId> families, boolean clusterWide, Consumer<WorkProgress> progress);

  /** Lists snapshots, those of a node oldest first. */
  CompletableFuture<SnapshotAnswers> list(boolean clusterWide);

  /** Deletes a snapshot; cluster-wide, nodes that have none of that name are no failure. */
  CompletableFuture<SnapshotAnswers> clear(String name, boolean clusterWide);
}
