package dev.colonnade.client;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call that failed. The subclasses are the cases that programs tell apart; any other failure is
 * of this class itself.
 */
public class ColonnadeException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String reason;
  private final Applied applied;
  private final transient Map<String, String> metadata;

  ColonnadeException(Failure failure) {
    super(failure.message(), failure.cause());
    this.reason = failure.reason();
    this.applied = failure.applied();
    this.metadata = failure.metadata();
  }

  /**
   * The reason, as a word for programs: a reason that a node gave, such as {@code
   * KEYSPACE_NOT_FOUND}, or, when no node answered, the name of the gRPC status, such as {@code
   * UNAVAILABLE}.
   */
  public final String reason() {
    return reason;
  }

  /** Whether the write took effect. Of no meaning for reads. */
  public final Applied applied() {
    return applied;
  }

  /**
   * Further details from the node, such as {@code required} and {@code alive}; empty if nothing.
   */
  public final Map<String, String> metadata() {
    return metadata == null ? Map.of() : metadata;
  }

  /**
   * The parts of a failure before its class is decided.
   *
   * @param cause what the transport threw, if anything
   */
  record Failure(
      String message,
      String reason,
      Applied applied,
      Map<String, String> metadata,
      @Nullable Throwable cause) {}
}
