package dev.colonnade.server.cluster.gossip;

import java.util.List;

/**
 * The messages of an exchange, which {@link GossipCodec} encodes. The third is a list of {@link
 * Delta}.
 */
final class GossipMessages {

  private GossipMessages() {}

  /** The first message: the sender's cluster, and what the sender knows. */
  record Syn(String clusterName, String partitioner, List<Digest> digests) {}

  /** The second message. */
  sealed interface AckReply permits Ack, GossipRefusal {}

  /** What the answering node requests, and what it knows better. */
  record Ack(List<Digest> requests, List<Delta> deltas) implements AckReply {}

  /** The answering node belongs to another cluster. */
  record GossipRefusal(String clusterName, String partitioner) implements AckReply {}
}
