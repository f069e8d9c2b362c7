package dev.colonnade.server.node;

import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.streaming.Streams;

/** Fails streams with nodes that are down, which would otherwise wait for minutes. */
final class StreamFailureListener implements MemberListener {

  private final Streams streams;

  StreamFailureListener(Streams streams) {
    this.streams = streams;
  }

  /** Its new process does not know the streams of the previous one. */
  @Override
  public void restarted(Member member) {
    streams.lost(member.id());
  }

  @Override
  public void dead(Member member) {
    streams.lost(member.id());
  }
}
