package dev.colonnade.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Has each range of a ring cut by a node that holds it. */
final class OwnerSplits {

  private OwnerSplits() {}

  /**
   * The parts of a family.
   *
   * @param within null for the whole ring
   * @throws ColonnadeException of the last owner of a range that none of its owners would cut
   */
  static List<Split> of(
      AsyncCluster cluster,
      String keyspace,
      String family,
      int keysPerSplit,
      @Nullable RingRange within) {
    Ring ring = Transport.await(cluster.ring(keyspace));
    cluster.learn(ring);
    List<Split> splits = new ArrayList<>();
    for (RingRange part :
        within == null ? ring.ranges() : parts(cluster, keyspace, family, within)) {
      splits.addAll(cut(cluster, keyspace, family, keysPerSplit, part));
    }
    return List.copyOf(splits);
  }

  /** What each range of the ring has of a range: parts so large that no node cuts them. */
  private static List<RingRange> parts(
      AsyncCluster cluster, String keyspace, String family, RingRange within) {
    RingRange anyNode = new RingRange(within.startToken(), within.endToken(), List.of());
    return all(cluster.splits(keyspace, family, Integer.MAX_VALUE, anyNode)).stream()
        .map(Split::range)
        .toList();
  }

  private static List<Split> cut(
      AsyncCluster cluster, String keyspace, String family, int keysPerSplit, RingRange part) {
    // Each further call of this one goes to the next owner.
    AsyncCluster owners = cluster.at(part.endpoints());
    for (int left = part.endpoints().size(); ; left--) {
      try {
        return all(owners.splits(keyspace, family, keysPerSplit, part));
      } catch (UnavailableException | TimedOutException | OverloadedException e) {
        if (left <= 0) {
          throw e;
        }
      }
    }
  }

  private static List<Split> all(AsyncCursor<Split> parts) {
    List<Split> all = new ArrayList<>();
    try (Cursor<Split> cursor = new Cursor<>(parts)) {
      cursor.forEachRemaining(all::add);
    }
    return all;
  }
}
