package dev.colonnade.client;

import dev.colonnade.admin.v1.NodeFailure;
import java.util.List;

/**
 * What nodes answered to a request about snapshots.
 *
 * @param snapshots one for each node that took or deleted it, or all that there are
 * @param failed the nodes that did not do it; empty if only one node was asked
 */
public record SnapshotAnswers(List<Snapshot> snapshots, List<Failure> failed) {

  /** Copies the lists. */
  public SnapshotAnswers {
    snapshots = List.copyOf(snapshots);
    failed = List.copyOf(failed);
  }

  /**
   * A node that failed.
   *
   * @param nodeId of it
   * @param address of it for clients
   * @param clientPort of it
   * @param reason in a sentence
   */
  public record Failure(String nodeId, String address, int clientPort, String reason) {}

  static SnapshotAnswers of(
      List<dev.colonnade.admin.v1.Snapshot> snapshots, List<NodeFailure> failed) {
    return new SnapshotAnswers(
        snapshots.stream().map(Snapshot::of).toList(),
        failed.stream()
            .map(
                each ->
                    new Failure(
                        each.getNodeId(),
                        each.getAddress(),
                        each.getClientPort(),
                        each.getReason()))
            .toList());
  }
}
