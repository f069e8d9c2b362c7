package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.RandomSource;
import java.text.Collator;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Keys in the order of an English dictionary: letters first, case and accents only between equals,
 * punctuation last. The token is the collation key of the Java platform's rules for en-US.
 */
final class CollatingOrderPreservingPartitioner implements Partitioner {

  private static final int RANDOM_BYTES = 16;

  /** Only cloned, never used for keys: a collator makes one key at a time. */
  private final Collator pristine = Collator.getInstance(Locale.US);

  @Override
  public String name() {
    return "CollatingOrderPreservingPartitioner";
  }

  @Override
  public byte[] tokenOf(byte[] key) throws InvalidKeyException {
    String text = TextKeys.decode(name(), key);
    if (text.isEmpty()) {
      return minimumToken();
    }
    Collator collator = (Collator) pristine.clone();
    return collator.getCollationKey(text).toByteArray();
  }

  @Override
  public boolean preservesOrder() {
    return true;
  }

  @Override
  public String printToken(byte[] token) {
    return HexFormat.of().formatHex(token);
  }

  @Override
  public byte[] parseToken(String text) throws InvalidTokenException {
    return TokenText.parseHex(name(), text);
  }

  @Override
  public byte[] midpoint(byte[] left, byte[] right) {
    return TokenText.midpoint(left, right, 1);
  }

  @Override
  public byte[] randomToken(RandomSource random) {
    byte[] token = new byte[RANDOM_BYTES];
    random.nextBytes(token);
    return token;
  }
}
