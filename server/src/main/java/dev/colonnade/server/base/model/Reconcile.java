package dev.colonnade.server.base.model;

import java.util.Arrays;

/**
 * Decides which of two versions of one cell stands. It is a total order over versions that looks at
 * nothing but the two, so merging is commutative, associative and idempotent, and can be done at
 * any time. Replicas that saw the same writes therefore agree to the byte, in whatever order they
 * merge.
 *
 * <p>The rule, in order: the higher timestamp; a deletion over a value; a value that expires over
 * one that does not; the later deletion time or expiry; the greater value, bytes unsigned.
 * Remaining differences are in spelling alone and are decided by bytes.
 *
 * <p>A rule that depended on whether a version has expired by now would choose another winner after
 * the expiry than before it, and so another one on a replica that merged the two in time. For the
 * same reason an expired version keeps its rank when its value is dropped, see {@link
 * Cell#expired}: as a deletion it would stand over a version of the same timestamp that expires
 * later.
 */
public final class Reconcile {

  private Reconcile() {}

  /** The version that stands; {@code a} when they are the same. */
  public static Cell pick(Cell a, Cell b) {
    return compare(a, b) >= 0 ? a : b;
  }

  /** Positive when {@code a} stands over {@code b}. */
  public static int compare(Cell a, Cell b) {
    int result = Long.compare(a.timestamp(), b.timestamp());
    if (result == 0) {
      // In the order of the declaration: what stays, what expires, what is deleted.
      result = a.kind().compareTo(b.kind());
    }
    if (result == 0) {
      result = Long.compare(a.localSeconds(), b.localSeconds());
    }
    if (result == 0) {
      result = a.compareValues(b);
    }
    if (result == 0) {
      result = Integer.compare(a.ttlSeconds(), b.ttlSeconds());
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
