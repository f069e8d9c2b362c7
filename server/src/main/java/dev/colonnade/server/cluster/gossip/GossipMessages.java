package dev.colonnade.server.cluster.gossip;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The messages of an exchange, which {@link GossipCodec} encodes. The third is a list of {@link
 * Delta}.
 */
final class GossipMessages {

  private GossipMessages() {}

  /**
   * The first message: the sender's cluster, and what the sender knows.
   *
   * @param sentMicros the sender's clock; absent from nodes of 0.2.0
   */
  record Syn(
      String clusterName, String partitioner, List<Digest> digests, OptionalLong sentMicros) {}

  /** The second message. */
  sealed interface AckReply permits Ack, GossipRefusal {}

  /**
   * What the answering node requests, and what it knows better.
   *
   * @param times absent if the first message did not tell when it was sent
   */
  record Ack(List<Digest> requests, List<Delta> deltas, Optional<ClockTimes> times)
      implements AckReply {

    Ack(List<Digest> requests, List<Delta> deltas) {
      this(requests, deltas, Optional.empty());
    }
  }

  /**
   * Three of the four moments of an exchange, in microseconds since 1970.
   *
   * @param sentMicros by the clock of the node that asked
   * @param receivedMicros by the clock of the node that answered, as the next one
   */
  record ClockTimes(long sentMicros, long receivedMicros, long answeredMicros) {}

  /** The answering node belongs to another cluster. */
  record GossipRefusal(String clusterName, String partitioner) implements AckReply {}
}
