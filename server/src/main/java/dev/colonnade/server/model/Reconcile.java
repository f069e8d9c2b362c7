package dev.colonnade.server.model;

import java.util.Arrays;

/**
 * Which of two versions of one cell stands. At a fixed {@code now} this is a total order, so
 * merging is commutative, associative and idempotent, and replicas that saw the same writes agree
 * to the byte.
 *
 * <p>The rule, in order: the higher timestamp; a deletion, or a value that has expired, over a live
 * value; between live values the greater one, bytes unsigned, then the later expiry (none is
 * latest); between dead ones the later deletion time. What is left can only differ in spelling and
 * is decided by bytes.
 */
public final class Reconcile {

  private Reconcile() {}

  /** The version that stands, judged at {@code nowSeconds}; {@code a} when they are the same. */
  public static Cell pick(Cell a, Cell b, long nowSeconds) {
    return compare(a, b, nowSeconds) >= 0 ? a : b;
  }

  /** Positive when {@code a} stands over {@code b}. */
  public static int compare(Cell a, Cell b, long nowSeconds) {
    int result = Long.compare(a.timestamp(), b.timestamp());
    if (result != 0) {
      return result;
    }
    boolean aLive = a.isLiveAt(nowSeconds);
    boolean bLive = b.isLiveAt(nowSeconds);
    if (aLive != bLive) {
      return aLive ? -1 : 1;
    }
    if (aLive) {
      result = Arrays.compareUnsigned(a.value(), b.value());
    }
    if (result == 0) {
      result = Long.compare(a.localSeconds(), b.localSeconds());
    }
    if (result == 0) {
      result = a.kind().compareTo(b.kind());
    }
    if (result == 0) {
      result = Integer.compare(a.ttlSeconds(), b.ttlSeconds());
    }
    if (result == 0) {
      result = Arrays.compareUnsigned(a.value(), b.value());
    }
    return result != 0 ? result : compareSpelling(a, b);
  }

  /**
   * Names that compare as equal can be spelled differently, as IntegerType's 1 in one byte and in
   * two.
   */
  private static int compareSpelling(Cell a, Cell b) {
    int result = Arrays.compareUnsigned(a.top(), b.top());
    return result != 0 ? result : Arrays.compareUnsigned(a.name(), b.name());
  }
}
