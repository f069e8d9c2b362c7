package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.internode.v1.GossipDelta;
import dev.colonnade.internode.v1.GossipDigest;
import dev.colonnade.internode.v1.GossipNews;
import dev.colonnade.internode.v1.GossipState;
import dev.colonnade.internode.v1.GossipSyn;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GossipCodecTest {

  private final GossipCodec codec = new GossipCodec("sim", "RandomPartitioner", 1 << 20);

  @Test
  void messagesReadAsTheyWereWritten() throws CorruptDataException {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      List<Digest> digests = new ArrayList<>();
      List<Delta> deltas = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        digests.add(new Digest(random.nextLong(), positive(random), positive(random)));
        EndpointState state = endpoint(random);
        deltas.add(
            random.nextBoolean()
                ? Delta.all(state)
                : Delta.since(state, 1 + (long) (random.nextDouble() * state.version())));
      }
      long sent = random.nextLong();
      GossipMessages.Syn syn = codec.syn(codec.syn(digests, sent));
      assertEquals(
          new GossipMessages.Syn("sim", "RandomPartitioner", digests, OptionalLong.of(sent)),
          syn,
          "seed " + seed);
      Optional<GossipMessages.ClockTimes> times =
          random.nextBoolean()
              ? Optional.empty()
              : Optional.of(
                  new GossipMessages.ClockTimes(
                      random.nextLong(), random.nextLong(), random.nextLong()));
      GossipMessages.Ack ack = new GossipMessages.Ack(digests, deltas, times);
      assertEquals(ack, codec.ack(codec.ack(ack)), "seed " + seed);
      assertEquals(deltas, codec.news(codec.news(deltas)), "seed " + seed);
    }
    assertEquals(
        new GossipMessages.GossipRefusal("sim", "RandomPartitioner"), codec.ack(codec.refusal()));
  }

  private static long positive(Random random) {
    return random.nextLong() >>> (1 + random.nextInt(63));
  }

  private static EndpointState endpoint(Random random) {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    String hex = HexFormat.of().formatHex(bytes);
    List<String> ids = List.of(hex, hex.substring(1), hex.replace('a', 'A'), "n" + hex + "é");
    List<VersionedValue> states = new ArrayList<>();
    int key = 0;
    for (int i = random.nextInt(6); i > 0; i--) {
      key += 1 + random.nextInt(9);
      states.add(
          new VersionedValue(key, 1 + random.nextInt(1_000_000), "v".repeat(random.nextInt(9))));
    }
    String id = ids.get(random.nextInt(ids.size()));
    return EndpointState.of(id, positive(random), 1 + random.nextInt(1_000_000), states);
  }

  @Test
  void aHeartbeatTakesTwentyFiveBytesAndADigestTwentyOneAtMost() {
    List<Digest> digests = new ArrayList<>();
    List<Delta> deltas = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      EndpointState node =
          EndpointState.of("node" + i, 1_800_000_000L + i * 1_000L, 1_000_000, List.of()).beat();
      digests.add(Digest.of(node));
      deltas.add(Delta.since(node, node.version() - 1));
    }
    assertTrue(
        codec.syn(digests, 1_800_000_000_000_000L).length <= 21_100,
        "" + codec.syn(digests, 1_800_000_000_000_000L).length);
    assertTrue(codec.news(deltas).length <= 25_100, "" + codec.news(deltas).length);
  }

  @Test
  void whatDoesNotFitWaitsForAnotherRound() throws CorruptDataException {
    GossipCodec small = new GossipCodec("sim", "RandomPartitioner", 1_000);
    List<Delta> deltas = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      deltas.add(Delta.all(endpoint(new Random(i))));
    }
    byte[] bytes = small.news(deltas);
    assertTrue(bytes.length <= 1_000, "" + bytes.length);
    List<Delta> read = small.news(bytes);
    assertEquals(deltas.subList(0, read.size()), read);
    EndpointState big =
        EndpointState.of("n", 1, 1, List.of(new VersionedValue(1, 1, "x".repeat(5_000))));
    assertEquals(1, small.news(small.news(List.of(Delta.all(big)))).size());
  }

  @Test
  void messagesOfAnotherClusterCannotBeRead() {
    GossipCodec other = new GossipCodec("other", "RandomPartitioner", 1 << 20);
    GossipCodec placing = new GossipCodec("sim", "ByteOrderedPartitioner", 1 << 20);
    assertThrows(CorruptDataException.class, () -> other.news(codec.news(List.of())));
    assertThrows(
        CorruptDataException.class,
        () -> placing.ack(codec.ack(new GossipMessages.Ack(List.of(), List.of()))));
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    List<Delta> deltas =
        List.of(
            Delta.all(endpoint(new Random(3))),
            Delta.since(EndpointState.of("n", 1, 9, List.of(new VersionedValue(1, 9, "x"))), 7));
    DamagedMessages.read(codec.syn(digests(), -1), codec::syn);
    GossipMessages.ClockTimes times = new GossipMessages.ClockTimes(0, -1, Long.MAX_VALUE);
    DamagedMessages.read(
        codec.ack(new GossipMessages.Ack(digests(), deltas, Optional.of(times))),
        body -> codec.ack(body));
    DamagedMessages.read(codec.refusal(), body -> codec.ack(body));
    DamagedMessages.read(codec.news(deltas), codec::news);
  }

  @Test
  void newsThatCannotBeTrueAreRefused() throws CorruptDataException {
    GossipState state = GossipState.newBuilder().setKey(3).setVersion(7).setValue("v").build();
    GossipDelta whole =
        GossipDelta.newBuilder()
            .setId("n")
            .setGeneration(5)
            .setHeartbeat(9)
            .setSince(6)
            .addStates(state)
            .build();
    assertEquals(1, codec.news(newsOf(whole.toBuilder())).size());
    GossipDelta.Builder many = whole.toBuilder().clearStates();
    for (int key = 0; key <= GossipCodec.MAX_STATES; key++) {
      many.addStates(state.toBuilder().setKey(key));
    }
    for (GossipDelta.Builder wrong :
        List.of(
            whole.toBuilder().clearNode(),
            whole.toBuilder().setId(""),
            whole.toBuilder().setId("n".repeat(GossipCodec.MAX_ID_CHARS + 1)),
            whole.toBuilder().setGeneration(-1),
            whole.toBuilder().setHeartbeat(-1),
            whole.toBuilder().setSince(-1),
            whole.toBuilder().addStates(state),
            whole.toBuilder().addStates(state.toBuilder().setKey(2)),
            whole.toBuilder().addStates(state.toBuilder().setKey(1 << 15)),
            whole.toBuilder().addStates(state.toBuilder().setKey(-1)),
            whole.toBuilder().addStates(state.toBuilder().setKey(4).setVersion(5)),
            whole.toBuilder()
                .addStates(
                    state.toBuilder()
                        .setKey(4)
                        .setValue("x".repeat(GossipCodec.MAX_VALUE_CHARS + 1))),
            many)) {
      byte[] body = newsOf(wrong);
      assertThrows(CorruptDataException.class, () -> codec.news(body), wrong::toString);
    }
  }

  private byte[] newsOf(GossipDelta.Builder delta) {
    return GossipNews.newBuilder()
        .setClusterFingerprint(fingerprint())
        .addDeltas(delta)
        .build()
        .toByteArray();
  }

  @Test
  void digestsThatCannotBeTrueAreRefused() {
    for (GossipDigest.Builder wrong :
        List.of(
            GossipDigest.newBuilder().setGeneration(-1),
            GossipDigest.newBuilder().setVersion(-1))) {
      byte[] body = GossipSyn.newBuilder().addDigests(wrong).build().toByteArray();
      assertThrows(CorruptDataException.class, () -> codec.syn(body));
    }
  }

  @Test
  void nodesThatDoNotTellTheirClocksAreRead() throws CorruptDataException {
    byte[] old = GossipSyn.newBuilder().setClusterName("sim").build().toByteArray();
    assertEquals(OptionalLong.empty(), codec.syn(old).sentMicros());
    GossipMessages.Ack ack = new GossipMessages.Ack(digests(), List.of());
    assertEquals(ack, codec.ack(codec.ack(ack)));
  }

  @Test
  void aMessageWithoutAFingerprintIsRefused() {
    assertThrows(CorruptDataException.class, () -> codec.news(new byte[0]));
    assertThrows(CorruptDataException.class, () -> codec.ack(new byte[0]));
  }

  @Test
  void aMessageOfMoreThanItsLimitsIsRefusedBeforeAnythingIsMadeOfIt() {
    assertThrows(CorruptDataException.class, () -> codec.news(new byte[GossipCodec.MAX_BYTES + 1]));
    // A million empty states of two bytes in one node.
    byte[] states = new byte[2 * GossipCodec.MAX_FIELDS];
    for (int i = 0; i < states.length; i += 2) {
      states[i] = GossipDelta.STATES_FIELD_NUMBER << 3 | 2;
    }
    ByteWriter body = new ByteWriter(states.length + 8);
    body.writeByte(GossipNews.DELTAS_FIELD_NUMBER << 3 | 2);
    body.writeBytes(states);
    CorruptDataException refused =
        assertThrows(CorruptDataException.class, () -> codec.news(body.toByteArray()));
    assertTrue(String.valueOf(refused.getMessage()).contains("fields"), refused.toString());
  }

  private static List<Digest> digests() {
    return List.of(new Digest(1, 2, 3), Digest.everythingOf(4));
  }

  @Test
  void whatIsWrittenStaysReadable() throws CorruptDataException {
    EndpointState node =
        EndpointState.of(
            "00112233445566778899aabbccddeeff",
            1_800_000_000L,
            300,
            List.of(new VersionedValue(1, 2, "normal")));
    byte[] golden =
        HexFormat.of()
            .parseHex(
                // the fingerprint; the id, the generation and the heartbeat of a node, 0x39 bytes
                "0d"
                    + "181c120a"
                    + "1239"
                    + "122030303131323233333434353536363737"
                    + "38383939616162626363646465656666"
                    + "1880a4a7da06"
                    + "20ac02"
                    // state 1 of version 2
                    + "320c080110021a066e6f726d616c");
    assertArrayEquals(golden, codec.news(List.of(Delta.all(node))));
    assertEquals(
        new Delta(
            Optional.of(node.id()),
            node.hash(),
            1_800_000_000L,
            300,
            0,
            List.of(new VersionedValue(1, 2, "normal"))),
        codec.news(golden).get(0));
  }

  private int fingerprint() {
    try {
      return GossipNews.parseFrom(codec.news(List.of())).getClusterFingerprint();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
