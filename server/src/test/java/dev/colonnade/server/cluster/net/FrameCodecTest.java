package dev.colonnade.server.cluster.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class FrameCodecTest {
  private static final long SEED = 20_090_401;

  private static Frame anyFrame(RandomSource random) {
    Frame.FrameKind[] kinds = Frame.FrameKind.values();
    Verb[] verbs = Verb.values();
    byte[] body = new byte[random.nextInt(300)];
    random.nextBytes(body);
    return new Frame(
        kinds[random.nextInt(kinds.length)],
        verbs[random.nextInt(verbs.length)],
        new Peer(
            random.nextInt(2) == 0 ? "" : "id" + random.nextInt(99),
            new PeerAddress("host" + random.nextInt(99), 1 + random.nextInt(65_535))),
        random.nextInt(2) == 0 ? "" : "knoten-ä" + random.nextInt(9),
        random.nextLong(),
        random.nextLong() >>> (1 + random.nextInt(63)),
        body,
        random.nextInt(2) == 0 ? Frame.NO_TRACE : new byte[1 + random.nextInt(40)]);
  }

  @Test
  void framesComeBackAsTheyWere() throws Exception {
    RandomSource random = new SeededRandom(SEED);
    for (int i = 0; i < 1_000; i++) {
      Frame frame = anyFrame(random);
      Frame back = FrameCodec.decode(FrameCodec.encode(frame));
      assertEquals(frame.kind(), back.kind());
      assertEquals(frame.verb(), back.verb());
      assertEquals(frame.from(), back.from());
      assertEquals(frame.toId(), back.toId());
      assertEquals(frame.number(), back.number());
      assertEquals(frame.timeoutNanos(), back.timeoutNanos());
      assertArrayEquals(frame.body(), back.body());
      assertArrayEquals(frame.trace(), back.trace());
    }
  }

  @Test
  void aFrameThatIsCutOrGoesOnIsRefused() {
    Frame any = anyFrame(new SeededRandom(SEED));
    byte[] whole =
        FrameCodec.encode(
            new Frame(
                any.kind(),
                any.verb(),
                any.from(),
                any.toId(),
                any.number(),
                any.timeoutNanos(),
                any.body()));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThrows(CorruptDataException.class, () -> FrameCodec.decode(cut));
    }
    byte[] longer = Arrays.copyOf(whole, whole.length + 1);
    assertThrows(CorruptDataException.class, () -> FrameCodec.decode(longer));
  }

  @Test
  void rubbishIsRefusedOrReadButNeverMore() {
    RandomSource random = new SeededRandom(SEED);
    int read = 0;
    int refusals = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = FrameCodec.encode(anyFrame(random));
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        bytes[random.nextInt(Math.min(40, bytes.length))] = (byte) random.nextInt(256);
      }
      try {
        FrameCodec.decode(bytes);
        read++;
      } catch (CorruptDataException refused) {
        refusals++;
      }
    }
    assertTrue(read > 0 && refusals > 1_000, read + " read, " + refusals + " refused");
  }

  @Test
  void failuresComeBackWithCodeAndWords() {
    for (PeerFailure.Code code : PeerFailure.Code.values()) {
      PeerFailure back = FailureCodec.decode(FailureCodec.encode(new PeerFailure(code, "wörds")));
      assertEquals(code, back.code());
      assertEquals("wörds", back.getMessage());
    }
  }

  @Test
  void endlessWordsAreCut() {
    PeerFailure back =
        FailureCodec.decode(
            FailureCodec.encode(new PeerFailure(PeerFailure.Code.REFUSED, "€".repeat(9_999))));
    assertEquals(PeerFailure.Code.REFUSED, back.code());
    assertEquals("€".repeat(2_000), back.getMessage());
  }

  @Test
  void aFailureThatCannotBeReadIsOneToo() {
    assertEquals(PeerFailure.Code.PROTOCOL, FailureCodec.decode(new byte[] {1, 5}).code());
    assertEquals(PeerFailure.Code.PROTOCOL, FailureCodec.decode(new byte[0]).code());
  }
}
