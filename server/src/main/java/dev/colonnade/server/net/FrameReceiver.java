package dev.colonnade.server.net;

import java.util.function.Consumer;

/**
 * Takes what a transport brings, and what it gives back. Called from the transport's threads; must
 * not block.
 */
@FunctionalInterface
public interface FrameReceiver extends Consumer<Frame> {

  /**
   * A message of this node that a transport had taken and dropped before a byte of it left, because
   * the peer cannot be reached. Best effort: of others nobody is told.
   */
  default void unsent(Frame frame) {}

  /**
   * The stream that carried this node's questions of a lane to a peer broke. What was sent over it
   * may be done or not; what is done may be answered yet, over a stream that the peer began. Best
   * effort, and also told where nothing was under way. Not told of streams that this node closed.
   */
  default void broke(PeerAddress peer, ChannelClass channel) {}
}
