package dev.colonnade.server.cluster.gossip;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Which nodes have to agree to a removal: those that own a place on the ring, but the one. */
final class Electorate {

  private Electorate() {}

  /** Returns them as far as they are known; nodes that others have replaced are not among them. */
  static List<EndpointState> of(Collection<EndpointState> all, String removedId) {
    Set<String> replaced = new HashSet<>();
    for (EndpointState node : all) {
      node.status()
          .filter(status -> status.kind() == NodeStatus.StatusKind.NORMAL)
          .ifPresent(status -> replaced.add(status.otherId()));
    }
    List<EndpointState> voters = new ArrayList<>();
    for (EndpointState node : all) {
      if (node.owns() && !node.id().equals(removedId) && !replaced.contains(node.id())) {
        voters.add(node);
      }
    }
    return voters;
  }

  /** Whether a node was asked: it took its place before the removal was decided. */
  static boolean isAsked(EndpointState voter, Removal removal) {
    return voter.tokensSince() <= TimeUnit.MILLISECONDS.toMicros(removal.decidedMillis());
  }

  /** Whether so many are a majority: more than half. */
  static boolean isMajority(int votes, int voters) {
    return votes * 2 > voters;
  }

  /** Whether a majority could agree: it signs what it says. */
  static boolean canSign(List<EndpointState> voters) {
    int signing = 0;
    for (EndpointState voter : voters) {
      signing += voter.signed() ? 1 : 0;
    }
    return isMajority(signing, voters.size());
  }
}
