package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
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
      GossipCodec.Syn syn = codec.syn(codec.syn(digests));
      assertEquals(new GossipCodec.Syn("sim", "RandomPartitioner", digests), syn, "seed " + seed);
      assertEquals(
          new GossipCodec.Ack(digests, deltas),
          codec.ack(codec.ack(digests, deltas)),
          "seed " + seed);
      assertEquals(deltas, codec.news(codec.news(deltas)), "seed " + seed);
    }
    assertEquals(
        new GossipCodec.GossipRefusal("sim", "RandomPartitioner"), codec.ack(codec.refusal()));
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
  void aHeartbeatTakesFourteenBytesAndADigestFifteenAtMost() {
    List<Digest> digests = new ArrayList<>();
    List<Delta> deltas = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      EndpointState node =
          EndpointState.of("node" + i, 1_800_000_000L + i * 1_000L, 1_000_000, List.of()).beat();
      digests.add(Digest.of(node));
      deltas.add(Delta.since(node, node.version() - 1));
    }
    assertTrue(codec.syn(digests).length <= 15_000, "" + codec.syn(digests).length);
    assertTrue(codec.news(deltas).length <= 17_000, "" + codec.news(deltas).length);
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
    assertThrows(CorruptDataException.class, () -> placing.ack(codec.ack(List.of(), List.of())));
  }

  @Test
  void damageIsNoticedAndTakesNoMemory() {
    byte[] good = codec.ack(digests(), List.of(Delta.all(endpoint(new Random(3)))));
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(CorruptDataException.class, () -> codec.ack(cut));
    }
    assertThrows(CorruptDataException.class, () -> codec.ack(Arrays.copyOf(good, good.length + 1)));
    for (long seed = 1; seed <= 20_000; seed++) {
      Random random = new Random(seed);
      byte[] damaged = good.clone();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        codec.ack(damaged);
        codec.syn(damaged);
        codec.news(damaged);
      } catch (CorruptDataException expected) {
        assertTrue(expected.getMessage() != null);
      }
    }
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
                "01"
                    + HexFormat.of().toHexDigits(fingerprint())
                    + "00000001"
                    + "80a4a7da06"
                    + "0d00112233445566778899aabbccddeeff00ac02"
                    + "0101d404066e6f726d616c");
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
    byte[] empty = codec.news(List.of());
    return (empty[1] & 0xff) << 24
        | (empty[2] & 0xff) << 16
        | (empty[3] & 0xff) << 8
        | (empty[4] & 0xff);
  }
}
