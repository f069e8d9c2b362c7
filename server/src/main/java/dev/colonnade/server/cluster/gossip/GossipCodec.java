package dev.colonnade.server.cluster.gossip;

import com.google.protobuf.CodedOutputStream;
import dev.colonnade.internode.v1.GossipAck;
import dev.colonnade.internode.v1.GossipClock;
import dev.colonnade.internode.v1.GossipDelta;
import dev.colonnade.internode.v1.GossipDigest;
import dev.colonnade.internode.v1.GossipNews;
import dev.colonnade.internode.v1.GossipState;
import dev.colonnade.internode.v1.GossipSyn;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Encodes the messages of an exchange as messages of {@code internode.proto}. Thread-safe.
 *
 * <p>Those after the first carry a checksum of the cluster's name and its partitioner, so that news
 * of another cluster are never taken in, whatever led them here.
 */
final class GossipCodec {

  static final int MAX_ID_CHARS = 256;

  /** The longest value, in characters: tokens, or a status that names tokens. */
  static final int MAX_VALUE_CHARS = TokenCodec.CHARACTERS_MAX + 1_024;

  static final int MAX_STATES = 64;

  /**
   * The longest message that is read. A sender stops at its own limit, which is lower, but sends
   * one node whole in any case: at most 64 values of 73 KiB.
   */
  static final int MAX_BYTES = 8 << 20;

  /** Bounds the objects that a message can become; five thousand whole nodes have a third of it. */
  static final int MAX_FIELDS = 1 << 20;

  private static final int MAX_NAME_CHARS = 1_024;
  private static final int MAX_ENTRIES = 100_000;

  private static final MessageParser<GossipSyn> SYN =
      new MessageParser<>(
          "the first message of gossip", GossipSyn.getDefaultInstance(), MAX_BYTES, MAX_FIELDS);
  private static final MessageParser<GossipAck> ACK =
      new MessageParser<>(
          "the second message of gossip", GossipAck.getDefaultInstance(), MAX_BYTES, MAX_FIELDS);
  private static final MessageParser<GossipNews> NEWS =
      new MessageParser<>(
          "the third message of gossip", GossipNews.getDefaultInstance(), MAX_BYTES, MAX_FIELDS);

  private final String clusterName;
  private final String partitioner;
  private final int fingerprint;
  private final int maxBytes;

  /**
   * Creates the codec of one cluster.
   *
   * @param maxBytes the length of a message; what does not fit is left out
   */
  GossipCodec(String clusterName, String partitioner, int maxBytes) {
    this.clusterName = clusterName;
    this.partitioner = partitioner;
    this.maxBytes = maxBytes;
    byte[] both = (clusterName + '\0' + partitioner).getBytes(StandardCharsets.UTF_8);
    this.fingerprint = Checksums.crc32c(both, 0, both.length);
  }

  byte[] syn(List<Digest> digests, long sentMicros) {
    GossipSyn.Builder message =
        GossipSyn.newBuilder()
            .setClusterName(clusterName)
            .setPartitioner(partitioner)
            .setSentMicros(sentMicros);
    digests.forEach(digest -> message.addDigests(message(digest)));
    return message.build().toByteArray();
  }

  GossipMessages.Syn syn(byte[] body) throws CorruptDataException {
    GossipSyn message = SYN.parse(body);
    return new GossipMessages.Syn(
        name(message.getClusterName()),
        name(message.getPartitioner()),
        digests(message.getDigestsList()),
        message.hasSentMicros() ? OptionalLong.of(message.getSentMicros()) : OptionalLong.empty());
  }

  byte[] ack(GossipMessages.Ack ack) {
    GossipAck.Builder message = GossipAck.newBuilder().setClusterFingerprint(fingerprint);
    ack.times()
        .ifPresent(
            times ->
                message.setClock(
                    GossipClock.newBuilder()
                        .setSentMicros(times.sentMicros())
                        .setReceivedMicros(times.receivedMicros())
                        .setAnsweredMicros(times.answeredMicros())));
    ack.requests().forEach(request -> message.addRequests(message(request)));
    int before = message.build().getSerializedSize();
    message.addAllDeltas(fitting(ack.deltas(), before, GossipAck.DELTAS_FIELD_NUMBER));
    return message.build().toByteArray();
  }

  byte[] refusal() {
    return GossipAck.newBuilder()
        .setRefusal(
            dev.colonnade.internode.v1.GossipRefusal.newBuilder()
                .setClusterName(clusterName)
                .setPartitioner(partitioner))
        .build()
        .toByteArray();
  }

  GossipMessages.AckReply ack(byte[] body) throws CorruptDataException {
    GossipAck message = ACK.parse(body);
    if (message.hasRefusal()) {
      return new GossipMessages.GossipRefusal(
          name(message.getRefusal().getClusterName()), name(message.getRefusal().getPartitioner()));
    }
    checkFingerprint(message.hasClusterFingerprint(), message.getClusterFingerprint());
    return new GossipMessages.Ack(
        digests(message.getRequestsList()), deltas(message.getDeltasList()), times(message));
  }

  private static Optional<GossipMessages.ClockTimes> times(GossipAck message) {
    if (!message.hasClock()) {
      return Optional.empty();
    }
    GossipClock clock = message.getClock();
    return Optional.of(
        new GossipMessages.ClockTimes(
            clock.getSentMicros(), clock.getReceivedMicros(), clock.getAnsweredMicros()));
  }

  /** Encodes the third message, and the announcement of a shutdown. */
  byte[] news(List<Delta> deltas) {
    GossipNews.Builder message = GossipNews.newBuilder().setClusterFingerprint(fingerprint);
    int before = message.build().getSerializedSize();
    return message
        .addAllDeltas(fitting(deltas, before, GossipNews.DELTAS_FIELD_NUMBER))
        .build()
        .toByteArray();
  }

  List<Delta> news(byte[] body) throws CorruptDataException {
    GossipNews message = NEWS.parse(body);
    checkFingerprint(message.hasClusterFingerprint(), message.getClusterFingerprint());
    return deltas(message.getDeltasList());
  }

  private void checkFingerprint(boolean isPresent, int found) throws CorruptDataException {
    MessageParser.require("the fingerprint of the cluster", isPresent);
    if (found != fingerprint) {
      throw CorruptDataException.inMessage(
          "the fingerprint of the cluster",
          Integer.toHexString(fingerprint),
          Integer.toHexString(found));
    }
  }

  private static String name(String name) throws CorruptDataException {
    return MessageParser.text("name of a cluster or a partitioner", name, MAX_NAME_CHARS);
  }

  private static GossipDigest message(Digest digest) {
    return GossipDigest.newBuilder()
        .setIdHash(digest.hash())
        .setGeneration(digest.generation())
        .setVersion(digest.version())
        .build();
  }

  private static List<Digest> digests(List<GossipDigest> messages) throws CorruptDataException {
    MessageParser.number("number of digests", messages.size(), 0, MAX_ENTRIES);
    List<Digest> digests = new ArrayList<>(messages.size());
    for (GossipDigest message : messages) {
      digests.add(
          new Digest(
              message.getIdHash(),
              notNegative("generation of a digest", message.getGeneration()),
              notNegative("version of a digest", message.getVersion())));
    }
    return digests;
  }

  /** Returns as many as fit, at least one: a node that misses one requests it again. */
  private List<GossipDelta> fitting(List<Delta> deltas, int before, int field) {
    List<GossipDelta> messages = new ArrayList<>(deltas.size());
    long bytes = before;
    for (Delta delta : deltas) {
      GossipDelta message = message(delta);
      bytes += CodedOutputStream.computeMessageSize(field, message);
      if (bytes > maxBytes && !messages.isEmpty()) {
        break;
      }
      messages.add(message);
    }
    return messages;
  }

  private static GossipDelta message(Delta delta) {
    GossipDelta.Builder message = GossipDelta.newBuilder();
    delta.id().ifPresentOrElse(message::setId, () -> message.setIdHash(delta.hash()));
    message
        .setGeneration(delta.generation())
        .setHeartbeat(delta.heartbeat())
        .setSince(delta.since());
    for (VersionedValue state : delta.states()) {
      message.addStates(
          GossipState.newBuilder()
              .setKey(state.key())
              .setVersion(state.version())
              .setValue(state.value()));
    }
    return message.build();
  }

  private static List<Delta> deltas(List<GossipDelta> messages) throws CorruptDataException {
    MessageParser.number("number of nodes in a message", messages.size(), 0, MAX_ENTRIES);
    List<Delta> deltas = new ArrayList<>(messages.size());
    for (GossipDelta message : messages) {
      deltas.add(delta(message));
    }
    return deltas;
  }

  private static Delta delta(GossipDelta message) throws CorruptDataException {
    Optional<String> id =
        switch (message.getNodeCase()) {
          case ID -> Optional.of(MessageParser.text("id of a node", message.getId(), MAX_ID_CHARS));
          case ID_HASH -> Optional.empty();
          case NODE_NOT_SET -> throw CorruptDataException.inMessage("node of news", "one", "none");
        };
    MessageParser.require("the id of a node", id.isEmpty() || !id.get().isEmpty());
    long since = notNegative("version that news follow", message.getSince());
    return new Delta(
        id,
        id.isPresent() ? EndpointState.hashOf(id.get()) : message.getIdHash(),
        notNegative("generation of a node", message.getGeneration()),
        notNegative("heartbeat of a node", message.getHeartbeat()),
        since,
        states(message.getStatesList(), since));
  }

  private static List<VersionedValue> states(List<GossipState> messages, long since)
      throws CorruptDataException {
    MessageParser.number("number of states", messages.size(), 0, MAX_STATES);
    List<VersionedValue> states = new ArrayList<>(messages.size());
    int before = -1;
    for (GossipState message : messages) {
      int key =
          (int)
              MessageParser.number("key of a state", message.getKey(), before + 1, Short.MAX_VALUE);
      long version =
          MessageParser.number("version of a state", message.getVersion(), since, Long.MAX_VALUE);
      states.add(
          new VersionedValue(
              key, version, MessageParser.text("state", message.getValue(), MAX_VALUE_CHARS)));
      before = key;
    }
    return List.copyOf(states);
  }

  private static long notNegative(String what, long number) throws CorruptDataException {
    return MessageParser.number(what, number, 0, Long.MAX_VALUE);
  }
}
