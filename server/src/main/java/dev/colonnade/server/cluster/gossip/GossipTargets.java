package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the nodes to gossip with in a round: one that is up, or several in a small cluster; now
 * and then one that is down, to notice when it is back; and if none of them is a seed, now and then
 * a seed, so that a partitioned cluster finds together again. On average only a few of many nodes
 * contact a seed.
 */
final class GossipTargets {

  /** The number in a small cluster, where random choice is less even and messages are short. */
  private static final int FEW = 3;

  /** Up to this size a cluster is small: a message is shorter than some 4 KB. */
  private static final int SMALL = 300;

  private final PeerAddress self;
  private final List<PeerAddress> seeds;
  private final RandomSource random;

  GossipTargets(PeerAddress self, List<PeerAddress> seeds, RandomSource random) {
    this.self = self;
    this.seeds = seeds.stream().filter(seed -> !seed.equals(self)).distinct().toList();
    this.random = random;
  }

  /**
   * Returns the peers of a round, at most five.
   *
   * @param up in an order that does not depend on chance
   */
  List<Peer> next(List<Peer> up, List<Peer> down) {
    List<Peer> chosen = new ArrayList<>(FEW + 2);
    List<Peer> left = new ArrayList<>(up);
    int wanted = up.size() <= SMALL ? FEW : 1;
    while (chosen.size() < wanted && !left.isEmpty()) {
      chosen.add(left.remove(random.nextInt(left.size())));
    }
    if (!down.isEmpty() && random.nextInt(up.size() + 1) < down.size()) {
      chosen.add(any(down));
    }
    boolean metSeed = chosen.stream().anyMatch(peer -> seeds.contains(peer.address()));
    int others = up.size() + down.size();
    if (!seeds.isEmpty()
        && !metSeed
        && (up.isEmpty() || up.size() < seeds.size() || random.nextInt(others) < seeds.size())) {
      chosen.add(Peer.at(any(seeds)));
    }
    return chosen;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  @Override
  public String toString() {
    return "peers of " + self + ", seeds " + seeds;
  }
}
