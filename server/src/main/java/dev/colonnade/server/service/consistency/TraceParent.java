package dev.colonnade.server.service.consistency;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a caller says of the trace that its call belongs to, in the form of the W3C's header
 * traceparent: {@code 00-TRACE_ID-PARENT_ID-FLAGS} in lower-case hexadecimal digits.
 *
 * @param traceId 32 hexadecimal digits, not all of them 0
 * @param parentId of the caller's span: 16 hexadecimal digits, not all of them 0
 * @param sampled whether the caller records the trace, so that the call is worth recording too
 */
public record TraceParent(String traceId, String parentId, boolean sampled) {

  /** The bytes of a trace's id and a span's. */
  static final int BYTES = 24;

  private static final int LENGTH = 55;
  private static final int TRACE_ID = 3;
  private static final int PARENT_ID = 36;
  private static final int FLAGS = 53;
  private static final int SAMPLED = 1;

  /**
   * Reads a header.
   *
   * @return null if it is malformed: a call is made all the same, as if it had none. A header of a
   *     later version may go on after the flags
   */
  public static @Nullable TraceParent parse(String text) {
    boolean wellFormed =
        text.length() >= LENGTH
            && isHex(text, 0, 2)
            && text.charAt(2) == '-'
            && isHex(text, TRACE_ID, 35)
            && text.charAt(35) == '-'
            && isHex(text, PARENT_ID, 52)
            && text.charAt(52) == '-'
            && isHex(text, FLAGS, LENGTH);
    if (!wellFormed || text.startsWith("ff")) {
      return null;
    }
    boolean ends =
        text.length() == LENGTH || (!text.startsWith("00") && text.charAt(LENGTH) == '-');
    String traceId = text.substring(TRACE_ID, 35);
    String parentId = text.substring(PARENT_ID, 52);
    if (!ends || isZero(traceId) || isZero(parentId)) {
      return null;
    }
    int flags = HexFormat.fromHexDigits(text, FLAGS, LENGTH);
    return new TraceParent(traceId, parentId, (flags & SAMPLED) != 0);
  }

  /** Both ids as bytes, for another node. */
  byte[] toBytes() {
    return HexFormat.of().parseHex(traceId + parentId);
  }

  /** What another node sent; null if it is of another length. */
  static @Nullable TraceParent ofBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      return null;
    }
    String digits = HexFormat.of().formatHex(bytes);
    return new TraceParent(digits.substring(0, 32), digits.substring(32), true);
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(String digits) {
    return digits.chars().allMatch(c -> c == '0');
  }
}
