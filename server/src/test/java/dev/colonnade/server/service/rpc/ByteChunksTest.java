package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which arrays an answer keeps in memory. */
final class ByteChunksTest {

  private static final int TAG = ByteChunks.tag(1);
  private static final int VALUE_BYTES = 10_000;

  @Test
  void aValueOutOfALargerArrayIsCopied() throws IOException {
    byte[] block = new byte[64 << 10];
    Arrays.fill(block, (byte) 7);
    ByteChunks answer = new ByteChunks();
    answer.field(TAG, block, 20_000, VALUE_BYTES);
    byte[] before = encoded(answer);
    // Shows whether the answer holds the block itself.
    Arrays.fill(block, (byte) 8);
    assertArrayEquals(before, encoded(answer));
    assertEquals(7, before[before.length - VALUE_BYTES]);
  }

  @Test
  void aLongValueThatIsMostOfItsArrayIsNotCopied() throws IOException {
    byte[] block = new byte[VALUE_BYTES + 1_000];
    ByteChunks answer = new ByteChunks();
    answer.field(TAG, block, 1_000, VALUE_BYTES);
    Arrays.fill(block, (byte) 8);
    byte[] after = encoded(answer);
    assertNotEquals(0, after[after.length - VALUE_BYTES]);
  }

  private static byte[] encoded(ByteChunks answer) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    answer.writeTo(out);
    return out.toByteArray();
  }
}
