package dev.colonnade.server.node;

import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.net.Messenger;

/**
 * Fails requests to a node as soon as it is known to be down, so that callers turn to other
 * replicas, or fail long before their deadlines.
 */
final class DeadPeerListener implements MemberListener {

  private final Messenger messenger;

  DeadPeerListener(Messenger messenger) {
    this.messenger = messenger;
  }

  /** A node in an orderly shutdown still answers its requests, or refuses them. */
  @Override
  public void dead(Member member) {
    if (!member.shutDown()) {
      messenger.forget(member.peer());
    }
  }

  /** Requests to its previous process died with that. */
  @Override
  public void restarted(Member member) {
    messenger.forget(member.peer());
  }
}
