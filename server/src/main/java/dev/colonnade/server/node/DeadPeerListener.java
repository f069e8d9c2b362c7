package dev.colonnade.server.node;

import dev.colonnade.server.gossip.Member;
import dev.colonnade.server.gossip.MemberListener;
import dev.colonnade.server.net.Messenger;

/**
 * Gives up what waits for a node as soon as it is known to be down: its askers turn to others, or
 * hear that nobody is left, long before their deadlines.
 */
final class DeadPeerListener implements MemberListener {

  private final Messenger messenger;

  DeadPeerListener(Messenger messenger) {
    this.messenger = messenger;
  }

  /** One that stops in order still answers what it was asked, or says that it does not. */
  @Override
  public void dead(Member member) {
    if (!member.shutDown()) {
      messenger.forget(member.peer());
    }
  }

  /** What its former process was asked died with that. */
  @Override
  public void restarted(Member member) {
    messenger.forget(member.peer());
  }
}
