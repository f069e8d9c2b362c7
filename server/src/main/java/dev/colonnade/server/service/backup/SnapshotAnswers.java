package dev.colonnade.server.service.backup;

import dev.colonnade.server.cluster.ring.RingNode;
import java.util.List;

/**
 * What nodes answered.
 *
 * @param snapshots by nodes
 * @param failed the nodes that did not do it
 */
public record SnapshotAnswers(List<OfNode> snapshots, List<Failure> failed) {

  /** Copies the lists. */
  public SnapshotAnswers {
    snapshots = List.copyOf(snapshots);
    failed = List.copyOf(failed);
  }

  /** A snapshot, and the node that has it. */
  public record OfNode(RingNode node, NodeSnapshot snapshot) {}

  /** A node that failed, with the reason in words. */
  public record Failure(RingNode node, String reason) {}
}
