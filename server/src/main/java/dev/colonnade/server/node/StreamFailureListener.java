package dev.colonnade.server.node;

import dev.colonnade.server.gossip.Member;
import dev.colonnade.server.gossip.MemberListener;
import dev.colonnade.server.streaming.Streams;

/** Ends streams with nodes that are down, which would otherwise wait for them for minutes. */
final class StreamFailureListener implements MemberListener {

  private final Streams streams;

  StreamFailureListener(Streams streams) {
    this.streams = streams;
  }

  /** Its new process knows nothing of the streams of the former one. */
  @Override
  public void restarted(Member member) {
    streams.lost(member.id());
  }

  @Override
  public void dead(Member member) {
    streams.lost(member.id());
  }
}
