package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.cluster.net.Peer;
import java.util.concurrent.CompletableFuture;

/** Sends hints to another node: a request of verb HINT. */
@FunctionalInterface
public interface HintSender {

  /**
   * Sends a message of hints.
   *
   * @return its answer; fails with {@link dev.colonnade.server.cluster.net.PeerFailure}
   */
  CompletableFuture<byte[]> send(Peer to, byte[] body, long deadlineNanos);
}
