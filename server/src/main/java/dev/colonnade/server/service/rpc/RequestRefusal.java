package dev.colonnade.server.service.rpc;

import io.grpc.Status;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that is refused for its content: nothing was applied. Has no stack trace, because it is
 * an answer and not a fault.
 */
final class RequestRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Status.Code code;
  private final String reason;
  private final @Nullable String field;
  private final transient Map<String, String> metadata;

  private RequestRefusal(
      Status.Code code,
      String reason,
      @Nullable String field,
      String message,
      Map<String, String> metadata) {
    super(message, null, false, false);
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.metadata = metadata;
  }

  /**
   * A field violates a rule; {@code field} is its path from the request, as {@code
   * rows[2].mutations[0].deletion}, or null for the request as a whole.
   */
  static RequestRefusal invalid(@Nullable String field, String message) {
    return invalid(ErrorReasons.INVALID_REQUEST, field, message);
  }

  /** As {@link #invalid(String, String)}, for a rule with a reason of its own. */
  static RequestRefusal invalid(String reason, @Nullable String field, String message) {
    return new RequestRefusal(Status.Code.INVALID_ARGUMENT, reason, field, message, Map.of());
  }

  /** The thing that a field names does not exist. */
  static RequestRefusal notFound(String reason, String field, String message) {
    return new RequestRefusal(Status.Code.NOT_FOUND, reason, field, message, Map.of());
  }

  /** The row has no such column. */
  static RequestRefusal columnNotFound() {
    return new RequestRefusal(
        Status.Code.NOT_FOUND,
        ErrorReasons.COLUMN_NOT_FOUND,
        null,
        "the row has no live column or super column at this path",
        Map.of());
  }

  /** The request is valid, but not in the present state. */
  static RequestRefusal precondition(
      String reason, @Nullable String field, String message, Map<String, String> metadata) {
    return new RequestRefusal(Status.Code.FAILED_PRECONDITION, reason, field, message, metadata);
  }

  /** A number in the request exceeds a limit. */
  static RequestRefusal tooLarge(@Nullable String field, String limit, long found, long allowed) {
    return new RequestRefusal(
        Status.Code.INVALID_ARGUMENT,
        ErrorReasons.REQUEST_TOO_LARGE,
        field,
        limit + ": the request has " + found + ", at most " + allowed + " are allowed; split it",
        Map.of("limit", Long.toString(allowed)));
  }

  /** Any other status. */
  static RequestRefusal of(
      Status.Code code, String reason, @Nullable String field, String message) {
    return new RequestRefusal(code, reason, field, message, Map.of());
  }

  /**
   * This refusal with its field inside {@code outer}. A part that can occur ten thousand times in a
   * request is checked with paths relative to itself, so that its place is put into words only if
   * it is refused.
   */
  RequestRefusal within(String outer) {
    String path = field == null || field.isEmpty() ? outer : outer + "." + field;
    return new RequestRefusal(code, reason, path, text(), metadata);
  }

  Status.Code code() {
    return code;
  }

  String reason() {
    return reason;
  }

  @Nullable String field() {
    return field;
  }

  Map<String, String> metadata() {
    return metadata;
  }

  String text() {
    String message = getMessage();
    return message == null ? reason : message;
  }
}
