package dev.colonnade.server.storage.snapshot;

/** A request about a snapshot that cannot be met: its name is taken, or bad, or nothing has it. */
public final class SnapshotRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Says why in a sentence for operators. */
  public SnapshotRefusedException(String message) {
    super(message);
  }
}
