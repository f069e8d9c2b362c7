package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

/** Messages that no encoder wrote: a decoder reads them or refuses them, and does nothing else. */
public final class DamagedMessages {

  private static final int CHANGED = 2_000;
  private static final int RANDOM = 500;
  private static final int RANDOM_BYTES_MAX = 200;

  private DamagedMessages() {}

  /** Decodes a message. */
  public interface Decoder {
    Object decode(byte[] body) throws CorruptDataException;
  }

  /**
   * Decodes all beginnings of a message, many changes of it, and random bytes.
   *
   * @throws AssertionError if the decoder throws another exception than {@link
   *     CorruptDataException}; it names the bytes
   */
  public static void read(byte[] message, Decoder decoder) {
    for (int length = 0; length <= message.length; length++) {
      decode(Arrays.copyOf(message, length), decoder);
    }
    Random random = new Random(message.length);
    for (int i = 0; i < CHANGED; i++) {
      byte[] changed = message.clone();
      for (int changes = random.nextInt(4); changes >= 0 && changed.length > 0; changes--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      decode(changed, decoder);
    }
    for (int i = 0; i < RANDOM; i++) {
      byte[] bytes = new byte[random.nextInt(RANDOM_BYTES_MAX)];
      random.nextBytes(bytes);
      decode(bytes, decoder);
    }
  }

  private static void decode(byte[] body, Decoder decoder) {
    try {
      decoder.decode(body);
    } catch (CorruptDataException refused) {
      if (refused.getMessage() == null) {
        fail("no reason for refusing " + HexFormat.of().formatHex(body));
      }
    } catch (RuntimeException | Error e) {
      fail("on " + HexFormat.of().formatHex(body), e);
    }
  }
}
