package dev.colonnade.server.coordinator;

import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.Peer;
import dev.colonnade.server.net.PeerFailure;
import dev.colonnade.server.net.Verb;
import java.util.concurrent.CompletableFuture;

/**
 * Asks other nodes, as {@link Messenger#request} does, which is what it is outside of tests.
 * Thread-safe; never blocks.
 */
@FunctionalInterface
public interface PeerClient {

  /** There are no other nodes. */
  PeerClient NOBODY =
      (to, verb, body, deadlineNanos) ->
          CompletableFuture.failedFuture(
              new PeerFailure(
                  PeerFailure.Code.NOT_SENT, "this node is alone and does not reach " + to));

  /**
   * Asks a peer; cancelling the future calls the work off there.
   *
   * @return the body of the answer; fails with {@link PeerFailure}
   */
  CompletableFuture<byte[]> request(Peer to, Verb verb, byte[] body, long deadlineNanos);
}
