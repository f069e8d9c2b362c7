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
}
