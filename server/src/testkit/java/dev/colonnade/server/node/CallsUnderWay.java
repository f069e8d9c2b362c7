package dev.colonnade.server.node;

import dev.colonnade.server.cluster.streaming.StreamProgress.StreamState;

/** What a node has in progress with other nodes, for checks that all of it ends. */
public final class CallsUnderWay {

  private CallsUnderWay() {}

  /**
   * Returns the number of requests to other nodes in flight, of other nodes' requests being
   * handled, and of active streams.
   */
  public static int of(NodeRuntime node) {
    long moving =
        node.streams().figures().stream()
            .filter(
                stream ->
                    stream.state() != StreamState.DONE && stream.state() != StreamState.FAILED)
            .count();
    return node.messenger().pendingRequests() + node.messenger().runningRequests() + (int) moving;
  }
}
