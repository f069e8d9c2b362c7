package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.env.RandomSource;
import java.util.HexFormat;

/** Keys in the order of their bytes: the token is the key. */
final class ByteOrderedPartitioner implements Partitioner {

  private static final int RANDOM_BYTES = 16;

  @Override
  public String name() {
    return "ByteOrderedPartitioner";
  }

  @Override
  public byte[] tokenOf(byte[] key) {
    return key;
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
