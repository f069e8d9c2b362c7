package dev.colonnade.server.cluster.net;

import java.util.function.Consumer;

/**
 * Receives messages from a transport, and reports of messages it could not send. Called on the
 * transport's threads; must not block.
 */
@FunctionalInterface
public interface FrameReceiver extends Consumer<Frame> {

  /**
   * Reports a message that the transport accepted but dropped before sending any byte of it,
   * because the peer cannot be reached, or another node than the one it is meant for answers there.
   * Best effort: other losses are not reported.
   */
  default void unsent(Frame frame) {}

  /**
   * Reports that the stream of this node's requests in a channel class to a peer broke. The
   * requests sent over it may or may not have been carried out; an answer may still arrive over a
   * stream that the peer opened. Best effort; also called if nothing was in flight. Not called for
   * streams that this node closed.
   */
  default void broke(PeerAddress peer, ChannelClass channel) {}
}
