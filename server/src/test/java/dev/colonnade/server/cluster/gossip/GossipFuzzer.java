package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.sim.SimClock;
import java.util.Arrays;
import java.util.List;

/**
 * Any gossip message is read or refused; it comes back as it was when it is encoded again, and
 * applying it does not fail.
 */
public final class GossipFuzzer {

  private static final PeerAddress ADDRESS = new PeerAddress("10.0.0.1", 7000);

  private GossipFuzzer() {}

  /** One input: a byte that says which message it is, and its body. */
  public static void fuzzerTestOneInput(byte[] data) throws CorruptDataException {
    if (data.length == 0) {
      return;
    }
    GossipCodec codec = new GossipCodec("sim", "RandomPartitioner", 1 << 20);
    byte[] body = Arrays.copyOfRange(data, 1, data.length);
    List<Delta> deltas;
    List<Digest> digests;
    try {
      switch (data[0] % 3) {
        case 0 -> {
          GossipMessages.Syn syn = codec.syn(body);
          digests = syn.digests();
          deltas = List.of();
        }
        case 1 -> {
          if (!(codec.ack(body) instanceof GossipMessages.Ack ack)) {
            return;
          }
          digests = ack.requests();
          deltas = ack.deltas();
        }
        default -> {
          digests = List.of();
          deltas = codec.news(body);
        }
      }
    } catch (CorruptDataException refused) {
      return;
    }
    GossipMessages.Ack again =
        (GossipMessages.Ack) codec.ack(codec.ack(new GossipMessages.Ack(digests, deltas)));
    if (!again.requests().equals(digests) || !again.deltas().equals(deltas)) {
      throw new AssertionError("a message of gossip changes when it is read back");
    }
    take(digests, deltas);
  }

  private static void take(List<Digest> digests, List<Delta> deltas) {
    MemberTracker tracker =
        new MemberTracker(
            new Peer("me", ADDRESS),
            EndpointState.of("me", 1, 1, List.of()),
            GossipSettings.of("sim", "RandomPartitioner", List.of()),
            new SimClock());
    tracker.take("other", deltas);
    tracker.take("other", deltas);
    tracker.check();
    tracker.expire();
    tracker
        .members()
        .topology(TopologyBuilderTest.node("me"), EndpointSnitch.announced(), report -> {});
    GossipMessages.Ack answer = tracker.answer(digests);
    tracker.knowledge().answerRequests(answer.requests());
  }
}
