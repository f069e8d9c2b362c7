package dev.colonnade.client;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tokens as bytes that compare unsigned, as nodes order rows. Immutable.
 *
 * @param ofKey the token of a key; null if no row can have it
 * @param ofText a token as nodes write it
 */
record TokenBytes(Function<byte[], byte @Nullable []> ofKey, Function<String, byte[]> ofText) {

  private static final int RANDOM_BYTES = 16;

  /** The tokens of a partitioner; null where {@link KeyTokens} has none. */
  static @Nullable TokenBytes of(String partitioner) {
    KeyTokens<?> tokens = KeyTokens.of(partitioner);
    return tokens == null ? null : of(tokens);
  }

  private static <T> TokenBytes of(KeyTokens<T> tokens) {
    return new TokenBytes(
        key -> {
          T token = tokens.ofKey().apply(ByteString.copyFrom(key));
          return token == null ? null : encoded(token);
        },
        text -> encoded(tokens.parse().apply(text)));
  }

  private static byte[] encoded(Object token) {
    if (token instanceof BigInteger number) {
      byte[] bytes = number.toByteArray();
      byte[] encoded = new byte[RANDOM_BYTES];
      int kept = Math.min(bytes.length, RANDOM_BYTES);
      System.arraycopy(bytes, bytes.length - kept, encoded, RANDOM_BYTES - kept, kept);
      return encoded;
    }
    if (token instanceof ByteString bytes) {
      return bytes.toByteArray();
    }
    return token.toString().getBytes(StandardCharsets.UTF_16BE);
  }

  /** Whether a token lies in a range of the ring; equal ends mean all of it. */
  static boolean isIn(byte[] token, byte[] start, byte[] end) {
    boolean afterStart = Arrays.compareUnsigned(token, start) > 0;
    boolean notAfterEnd = Arrays.compareUnsigned(token, end) <= 0;
    return Arrays.compareUnsigned(start, end) >= 0
        ? afterStart || notAfterEnd
        : afterStart && notAfterEnd;
  }
}
