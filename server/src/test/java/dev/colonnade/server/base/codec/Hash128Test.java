package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Known answers: hashes are stored in files, so these functions must never change. */
final class Hash128Test {

  @Test
  void agreesWithTheVerificationValueOfSmHasher() {
    // Hashes of {}, {0}, {0, 1} ... under seeds 256, 255 ..., hashed again under seed 0; the first
    // four bytes.
    byte[] hashes = new byte[256 * 16];
    byte[] key = new byte[256];
    for (int i = 0; i < 256; i++) {
      key[i] = (byte) i;
      putLittleEndian(Hash128.of(key, 0, i, 256 - i), hashes, 16 * i);
    }
    assertEquals(0x6384BA69, (int) Hash128.of(hashes).high());
  }

  @Test
  void knownAnswers() {
    assertEquals(new Hash128(0, 0), Hash128.of(new byte[0]));
    assertEquals(
        new Hash128(0xcbd8a7b341bd9b02L, 0x5b1e906a48ae1d19L),
        Hash128.of("hello".getBytes(StandardCharsets.US_ASCII)));
    assertEquals(
        new Hash128(0xe34bbc7bbc071b6cL, 0x7a433ca9c49a9347L),
        Hash128.of(
            "The quick brown fox jumps over the lazy dog".getBytes(StandardCharsets.US_ASCII)));
  }

  @Test
  void aRangeHashesLikeItsCopy() {
    byte[] padded = "xxhelloyy".getBytes(StandardCharsets.US_ASCII);
    assertEquals(Hash128.of("hello".getBytes(StandardCharsets.US_ASCII)), Hash128.of(padded, 2, 5));
  }

  @Test
  void crc32cKnownAnswer() {
    byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
    assertEquals(0xe3069283, Checksums.crc32c(digits));
    Checksums.RunningChecksum running = new Checksums.RunningChecksum();
    running.update(digits, 0, 4).update(digits, 4, 5);
    assertEquals(0xe3069283, running.value());
    CRC32C numbers = new CRC32C();
    numbers.update(new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2});
    assertEquals((int) numbers.getValue(), running.reset().updateLong(1).updateInt(2).value());
    assertEquals("0000000a", Checksums.text(10));
  }

  private static void putLittleEndian(Hash128 hash, byte[] target, int at) {
    FixedWidth.putLong(target, at, Long.reverseBytes(hash.high()));
    FixedWidth.putLong(target, at + 8, Long.reverseBytes(hash.low()));
  }
}
