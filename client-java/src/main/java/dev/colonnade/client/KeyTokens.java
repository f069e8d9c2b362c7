package dev.colonnade.client;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a partitioner turns keys into tokens, and orders these. Immutable.
 *
 * @param ofKey the token of a key; null if no row can have it
 * @param parse a token as nodes write it; throws {@link IllegalArgumentException} if it is none
 * @param order ascending around the ring
 */
record KeyTokens<T>(
    Function<ByteString, @Nullable T> ofKey, Function<String, T> parse, Comparator<T> order) {

  private static final MessageDigest PRISTINE = md5();

  /** The absolute value of the key's MD5, read as a signed number. */
  private static final KeyTokens<BigInteger> RANDOM =
      new KeyTokens<>(KeyTokens::hash, BigInteger::new, BigInteger::compareTo);

  /** The key itself. */
  private static final KeyTokens<ByteString> BYTE_ORDERED =
      new KeyTokens<>(
          key -> key,
          hex -> ByteString.copyFrom(HexFormat.of().parseHex(hex)),
          ByteString.unsignedLexicographicalComparator());

  /** The key as text, in the order of UTF-16 code units. */
  private static final KeyTokens<String> ORDER_PRESERVING =
      new KeyTokens<>(KeyTokens::text, token -> token, String::compareTo);

  /**
   * The tokens of a partitioner; null if this client cannot compute them. So it is for partitioners
   * of one's own, and for CollatingOrderPreservingPartitioner: its order is that of a dictionary,
   * whose rules are those of the node's Java and not of the client's.
   */
  static @Nullable KeyTokens<?> of(String partitioner) {
    return switch (partitioner) {
      case "RandomPartitioner" -> RANDOM;
      case "ByteOrderedPartitioner" -> BYTE_ORDERED;
      case "OrderPreservingPartitioner" -> ORDER_PRESERVING;
      default -> null;
    };
  }

  private static BigInteger hash(ByteString key) {
    MessageDigest digest;
    try {
      digest = (MessageDigest) PRISTINE.clone();
    } catch (CloneNotSupportedException e) {
      digest = md5();
    }
    for (ByteBuffer part : key.asReadOnlyByteBufferList()) {
      digest.update(part);
    }
    return new BigInteger(digest.digest()).abs();
  }

  private static @Nullable String text(ByteString key) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(key.asReadOnlyByteBuffer()).toString();
    } catch (CharacterCodingException e) {
      // Every node refuses such a key.
      return null;
    }
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5, this one has not", e);
    }
  }
}
