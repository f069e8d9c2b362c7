package dev.colonnade.server.engine;

/**
 * There is not enough room on a disk for what was asked. Nothing was applied. Reads go on; the
 * store takes writes again by itself once there is room.
 */
public final class DiskFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says which disk, how much is missing, and what to do. */
  public DiskFullException(String message) {
    super(message);
  }
}
