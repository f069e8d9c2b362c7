package dev.colonnade.it.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes inputs out of those of a corpus by random changes: bits, numbers at the edges of their
 * ranges, parts cut out, doubled, or taken from another input. Not thread-safe.
 */
final class Changes {

  /** Lengths and counts that are likely to break decoders. */
  private static final int[] EDGES = {
    0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, -1, -2
  };

  private final List<byte[]> corpus;
  private final int bytesMax;
  private final SplittableRandom random;

  /**
   * Changes of a corpus.
   *
   * @param corpus of at least one input
   * @param bytesMax no input that is made is longer
   */
  Changes(List<byte[]> corpus, int bytesMax, SplittableRandom random) {
    if (corpus.isEmpty()) {
      throw new IllegalArgumentException("a corpus without inputs");
    }
    this.corpus = corpus;
    this.bytesMax = bytesMax;
    this.random = random;
  }

  /** The next input: some input of the corpus after one to eight changes. */
  byte[] next() {
    byte[] input = any().clone();
    for (int changes = 1 << random.nextInt(4); changes > 0; changes--) {
      input = changed(input);
    }
    return input.length > bytesMax ? Arrays.copyOf(input, bytesMax) : input;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private byte[] changed(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int most = Math.max(1, Math.min(64, input.length - at));
    int length = Math.min(input.length - at, 1 + random.nextInt(most));
    return switch (random.nextInt(9)) {
      case 0 -> with(input, at, 1, bytes -> bytes[0] ^= (byte) (1 << random.nextInt(8)));
      case 1 -> with(input, at, 1, bytes -> bytes[0] = (byte) random.nextInt(256));
      case 2 -> with(input, at, 1, bytes -> bytes[0] += (byte) (random.nextInt(9) - 4));
      case 3 -> with(input, at, 1 << random.nextInt(3), this::edge);
      case 4 -> joined(input, at, new byte[0], at + length);
      case 5 -> joined(input, at, Arrays.copyOfRange(input, at, at + length), at);
      case 6 -> joined(input, at, noise(1 + random.nextInt(8)), at);
      case 7 -> joined(input, at, part(any()), at + length);
      default ->
          random.nextInt(4) == 0 ? Arrays.copyOf(input, at) : joined(input, at, part(any()), at);
    };
  }

  private interface Change {
    void to(byte[] bytes);
  }

  /** The input with the change made to some bytes of it; as it is if they are not all there. */
  private static byte[] with(byte[] input, int at, int length, Change change) {
    if (at + length > input.length) {
      return input;
    }
    byte[] bytes = Arrays.copyOfRange(input, at, at + length);
    change.to(bytes);
    System.arraycopy(bytes, 0, input, at, length);
    return input;
  }

  private void edge(byte[] bytes) {
    int number = EDGES[random.nextInt(EDGES.length)];
    boolean big = random.nextInt(2) == 0;
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (number >> (8 * (big ? bytes.length - 1 - i : i)));
    }
  }

  private byte[] noise(int length) {
    byte[] noise = new byte[length];
    random.nextBytes(noise);
    return noise;
  }

  private byte[] part(byte[] other) {
    int from = random.nextInt(other.length + 1);
    int most = Math.min(256, other.length - from);
    return Arrays.copyOfRange(other, from, from + (most == 0 ? 0 : random.nextInt(most + 1)));
  }

  private static byte[] joined(byte[] input, int until, byte[] between, int from) {
    byte[] joined = new byte[until + between.length + input.length - from];
    System.arraycopy(input, 0, joined, 0, until);
    System.arraycopy(between, 0, joined, until, between.length);
    System.arraycopy(input, from, joined, until + between.length, input.length - from);
    return joined;
  }
}
