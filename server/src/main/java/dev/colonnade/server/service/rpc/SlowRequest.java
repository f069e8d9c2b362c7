package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.v1.ConsistencyLevel;
import io.grpc.Status;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A call on data that took long. All texts are short and printable, and none of them is a value.
 *
 * @param method as {@code GetSlice}
 * @param statusCode name of the gRPC status code, {@code OK} for success
 * @param keyspace that the request named, perhaps one that does not exist
 * @param family the same; {@code several} for a batch that changes several
 * @param key the row's key, in quotes, or as {@code 0x} and hexadecimal digits if it has other
 *     bytes than printable ASCII; empty for a request about several rows
 * @param rows how many rows the request named; 0 for a range
 * @param level its consistency level, as {@code QUORUM}
 * @param nanos from the call's headers to its end
 * @param client the address that the call came from, without its port
 * @param cost of the work; {@link CallCost#NONE} if the call failed
 * @param answerBytes the encoded size of the answer; 0 if the call failed
 * @param traceId the W3C's id of the trace that the call is a part of; empty if it is of none
 */
public record SlowRequest(
    String method,
    String statusCode,
    String keyspace,
    String family,
    String key,
    int rows,
    String level,
    long nanos,
    String client,
    CallCost cost,
    long answerBytes,
    String traceId) {

  /** The longest name or key that is shown whole, in characters or bytes. */
  private static final int SHOWN_MAX = 64;

  private static final String LEVEL_PREFIX = "CONSISTENCY_LEVEL_";

  /**
   * A call that failed before a handler worked for it.
   *
   * @param method its full name
   */
  static SlowRequest of(
      String method,
      Status.Code statusCode,
      CallSubject.Called subject,
      long nanos,
      String client) {
    return new SlowRequest(
        method.substring(method.indexOf('/') + 1),
        statusCode.name(),
        name(subject.keyspace()),
        name(subject.family()),
        key(subject.key()),
        subject.rows(),
        level(subject.level()),
        nanos,
        client,
        CallCost.NONE,
        0,
        "");
  }

  /** This call with what its work cost and answered; null for no work. */
  SlowRequest with(@Nullable CallContext work, long encodedBytes) {
    return work == null
        ? this
        : new SlowRequest(
            method,
            statusCode,
            keyspace,
            family,
            key,
            rows,
            level,
            nanos,
            client,
            work.spent(),
            encodedBytes,
            work.traceId());
  }

  private static String level(ConsistencyLevel level) {
    ConsistencyLevel meant =
        level == ConsistencyLevel.CONSISTENCY_LEVEL_UNSPECIFIED
            ? ConsistencyLevel.CONSISTENCY_LEVEL_ONE
            : level;
    String name = meant.name();
    return name.startsWith(LEVEL_PREFIX) ? name.substring(LEVEL_PREFIX.length()) : name;
  }

  /** Names come from clients, and may be of any length and have line breaks. */
  private static String name(String name) {
    StringBuilder shown = new StringBuilder();
    name.codePoints()
        .limit(SHOWN_MAX)
        .forEach(c -> shown.appendCodePoint(Character.isLetterOrDigit(c) || isPlain(c) ? c : '?'));
    return name.codePointCount(0, name.length()) > SHOWN_MAX ? shown + "…" : shown.toString();
  }

  private static String key(ByteString key) {
    if (key.isEmpty()) {
      return "";
    }
    ByteString part = key.substring(0, Math.min(SHOWN_MAX, key.size()));
    boolean plain = true;
    for (int i = 0; i < part.size(); i++) {
      plain &= isPlain(part.byteAt(i));
    }
    String shown =
        plain
            ? "'" + part.toStringUtf8() + "'"
            : "0x" + HexFormat.of().formatHex(part.toByteArray());
    return key.size() > part.size() ? shown + "…" : shown;
  }

  /** Whether a character is printable ASCII that needs no escape in a quoted text. */
  private static boolean isPlain(int character) {
    return character > ' ' && character < 0x7f && character != '\'' && character != '\\';
  }
}
