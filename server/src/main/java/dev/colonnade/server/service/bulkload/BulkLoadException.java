package dev.colonnade.server.service.bulkload;

/**
 * A load that is refused or ended; nothing of it is visible. Has no stack trace: it is an answer.
 */
public final class BulkLoadException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Why a load is refused or ended. */
  public enum Refusal {
    /** A range, or a row, is not this node's. */
    NOT_A_REPLICA,
    /** The owners of a range are changing. */
    RING_CHANGING,
    /** The family was truncated or dropped since the load was planned. */
    FAMILY_CHANGED,
    /** A row or a column is not greater than the one before it, or a chunk is missing. */
    OUT_OF_ORDER,
    /** The client said nothing for too long, or left. */
    ABANDONED
  }

  private final Refusal refusal;

  BulkLoadException(Refusal refusal, String message) {
    super(message, null, false, false);
    this.refusal = refusal;
  }

  /** Why. */
  public Refusal refusal() {
    return refusal;
  }
}
