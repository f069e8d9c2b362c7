package dev.colonnade.server.service.consistency;

import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.TraceCarrier;
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

  /** As {@link #request}, for a call that is traced; by default the trace stays here. */
  default CompletableFuture<byte[]> traced(
      Peer to, Verb verb, byte[] body, long deadlineNanos, TraceCarrier trace) {
    return request(to, verb, body, deadlineNanos);
  }

  /** Sends requests, and traces with them, over a messenger. */
  static PeerClient over(Messenger messenger) {
    return new PeerClient() {
      @Override
      public CompletableFuture<byte[]> request(
          Peer to, Verb verb, byte[] body, long deadlineNanos) {
        return messenger.request(to, verb, body, deadlineNanos);
      }

      @Override
      public CompletableFuture<byte[]> traced(
          Peer to, Verb verb, byte[] body, long deadlineNanos, TraceCarrier trace) {
        return messenger.request(to, verb, body, deadlineNanos, trace);
      }
    };
  }
}
