package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.Members;
import dev.colonnade.server.cluster.membership.MembershipException.Reason;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.Optional;

/**
 * Checks whether a node without data listens at the address of a node on the ring. A node that lost
 * its data gets a new host id, and must not silently take a place beside its old one.
 */
final class AddressReuseCheck {

  private AddressReuseCheck() {}

  /** Why this node must not take a place of its own at its address. */
  static Optional<MembershipException> of(RingOperation operation) {
    return of(operation, Optional.empty());
  }

  /**
   * Why this node must not take a place of its own at its address.
   *
   * @param replaced the node that it was told to replace
   */
  static Optional<MembershipException> of(RingOperation operation, Optional<String> replaced) {
    Members members = operation.context().gossiper().members();
    PeerAddress here = members.self().peer().address();
    for (Member member : members.all()) {
      if (member.peer().address().equals(here)
          && !member.id().equals(operation.selfId())
          && operation.topology().place(member.id()).isPresent()
          && !replaced.equals(Optional.of(member.id()))) {
        return Optional.of(
            new MembershipException(
                Reason.PLACE_TAKEN,
                member.id(),
                "this address, "
                    + here
                    + ", belongs to node "
                    + member.id()
                    + ", which is still in the ring, and the data directory here is empty or"
                    + " another node's. Start the node with its own data; or, if that is lost,"
                    + " replace the node and fetch its rows from the others with --replace "
                    + member.id()
                    + "; or remove it from the ring first (remove '"
                    + member.id()
                    + "' in a shell on another node)"));
      }
    }
    return Optional.empty();
  }
}
