package dev.colonnade.server.cluster.streaming;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages survive encoding and decoding, and no other bytes are accepted as one. */
final class StreamMessagesTest {
  private static final StreamId ID = new StreamId(-1, 7);
  private static final FamilyId FAMILY = new FamilyId(3, 4);

  private interface Decoder {
    Object decode(byte[] body) throws CorruptDataException;
  }

  private static void assertComesBack(Object message, byte[] encoded, Decoder decoder)
      throws CorruptDataException {
    assertEquals(message, decoder.decode(encoded));
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThrows(CorruptDataException.class, () -> decoder.decode(cut), "cut to " + length);
    }
    byte[] longer = Arrays.copyOf(encoded, encoded.length + 1);
    assertThrows(CorruptDataException.class, () -> decoder.decode(longer));
  }

  @Test
  void messagesComeBackAsTheyWere() throws CorruptDataException {
    StreamMessages.StreamOpen open =
        new StreamMessages.StreamOpen(ID, FAMILY, 7, "a test", 1L << 40);
    assertComesBack(open, open.encode(), StreamMessages.StreamOpen::decode);
    StreamMessages.Close close = new StreamMessages.Close(ID, 5, 6, "no");
    assertComesBack(close, close.encode(), StreamMessages.Close::decode);
    List<TokenRange> ranges =
        List.of(
            new TokenRange(new byte[] {1}, new byte[] {2, 3}),
            new TokenRange(new byte[0], new byte[0]));
    StreamMessages.Wanted wanted = new StreamMessages.Wanted(ID, FAMILY, ranges, "a test");
    assertComesBack(wanted, wanted.encode(), StreamMessages.Wanted::decode);
  }

  @Test
  void aChunkWithAnyOtherBitIsDamaged() throws CorruptDataException {
    byte[] rows = {1, 2, 3};
    byte[] encoded = new StreamMessages.StreamChunk(ID, 9, rows).encode();
    StreamMessages.StreamChunk read = StreamMessages.StreamChunk.decode(encoded);
    assertEquals(ID, read.id());
    assertEquals(9, read.number());
    assertArrayEquals(rows, read.rows());
    for (int bit = 0; bit < 8 * encoded.length; bit++) {
      byte[] changed = encoded.clone();
      changed[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThrows(
          CorruptDataException.class,
          () -> StreamMessages.StreamChunk.decode(changed),
          "bit " + bit);
    }
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThrows(CorruptDataException.class, () -> StreamMessages.StreamChunk.decode(cut));
    }
  }
}
