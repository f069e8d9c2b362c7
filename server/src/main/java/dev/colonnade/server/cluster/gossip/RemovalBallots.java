package dev.colonnade.server.cluster.gossip;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What members agree to before a node is removed, where nodes have certificates. From any thread.
 */
public final class RemovalBallots {

  /**
   * A member's answer.
   *
   * @param signature of the removal; empty if it does not agree
   * @param refusal why not, for people
   */
  public record RemovalVote(Optional<byte[]> signature, String refusal) {

    static RemovalVote no(String refusal) {
      return new RemovalVote(Optional.empty(), refusal);
    }
  }

  private final MemberTracker tracker;
  private final String clusterName;
  private final Object knowing;

  /**
   * Wires the parts.
   *
   * @param knowing guards the tracker
   */
  RemovalBallots(MemberTracker tracker, String clusterName, Object knowing) {
    this.tracker = tracker;
    this.clusterName = clusterName;
    this.knowing = knowing;
  }

  /**
   * Whether other nodes believe this node's word that one is gone: there are no certificates, or
   * too few nodes of a release that signs.
   */
  public boolean isOwnWordEnough(String nodeId) {
    synchronized (knowing) {
      GossipTrust trust = tracker.trust();
      return trust.signatures().isEmpty()
          || (!trust.required() && !Electorate.canSign(voters(nodeId)));
    }
  }

  private List<EndpointState> voters(String nodeId) {
    return Electorate.of(tracker.knowledge().all(), nodeId);
  }

  /** Returns what is asked for: the removal of a node in the generation that is known of it. */
  public Removal removal(String nodeId, long decidedMillis, long expiryMillis) {
    synchronized (knowing) {
      EndpointState node = tracker.knowledge().get(nodeId);
      return new Removal(nodeId, node == null ? 0 : node.generation(), decidedMillis, expiryMillis);
    }
  }

  /** The ids of those who are asked, this node among them if it has a place on the ring. */
  public List<String> voterIds(Removal removal) {
    synchronized (knowing) {
      return voters(removal.nodeId()).stream()
          .filter(voter -> Electorate.isAsked(voter, removal))
          .map(EndpointState::id)
          .toList();
    }
  }

  /** Whether so many votes are enough. */
  public boolean isMajority(SortedMap<String, byte[]> votes, List<String> voterIds) {
    return Electorate.isMajority(votes.size(), voterIds.size());
  }

  /**
   * This node's answer to a removal: it agrees if the node is down by its own failure detector, or
   * is none that it knows.
   *
   * @param askingId the node that asks
   */
  public RemovalVote vote(Removal removal, String askingId) {
    synchronized (knowing) {
      Optional<NodeSignatures> signatures = tracker.trust().signatures();
      if (signatures.isEmpty()) {
        return RemovalVote.no("it has no certificate to sign with");
      }
      EndpointState asking = tracker.knowledge().get(askingId);
      if (asking == null || asking.departed()) {
        return RemovalVote.no("it does not know the node that asks");
      }
      if (tracker.isAlive(removal.nodeId())) {
        return RemovalVote.no("it finds that node up");
      }
      EndpointState node = tracker.knowledge().get(removal.nodeId());
      if (node != null && !node.departed() && node.generation() > removal.generation()) {
        return RemovalVote.no("it knows of a later start of that node");
      }
      byte[] content = SignedContent.of(clusterName, removal);
      return new RemovalVote(Optional.of(signatures.get().identity().sign(content)), "");
    }
  }
}
