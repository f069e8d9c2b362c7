package dev.colonnade.server.service.consistency;

import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import java.util.concurrent.CompletableFuture;

/**
 * Sends requests to other nodes. Outside of tests it is {@link Messenger#request}. Thread-safe;
 * never blocks.
 */
@FunctionalInterface
public interface PeerClient {

  /** For a node without peers. */
  PeerClient NONE =
      (to, verb, body, deadlineNanos) ->
          CompletableFuture.failedFuture(
              new PeerFailure(
                  PeerFailure.Code.NOT_SENT, "this node runs alone and cannot reach " + to));

  /**
   * Sends a request to a peer; cancelling the future cancels the work there.
   *
   * @return the body of the answer; fails with {@link PeerFailure}
   */
  CompletableFuture<byte[]> request(Peer to, Verb verb, byte[] body, long deadlineNanos);
}
