package dev.colonnade.server.cluster.ring;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The tokens after {@code start} up to and including {@code end}, clockwise. If the end does not
 * come after the start the range wraps around; equal ends mean the whole ring.
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode compare the bytes
public record TokenRange(byte[] start, byte[] end) {

  /** Whether the range goes through the lowest token, or is the whole ring. */
  public boolean wraps() {
    return Arrays.compareUnsigned(start, end) >= 0;
  }

  /** Whether the token lies in the range. */
  public boolean contains(byte[] token) {
    boolean afterStart = Arrays.compareUnsigned(token, start) > 0;
    boolean notAfterEnd = Arrays.compareUnsigned(token, end) <= 0;
    return wraps() ? afterStart || notAfterEnd : afterStart && notAfterEnd;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TokenRange that
        && Arrays.equals(start, that.start)
        && Arrays.equals(end, that.end);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(start) * 31 + Arrays.hashCode(end);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return "(" + hex.formatHex(start) + ", " + hex.formatHex(end) + "]";
  }
}
