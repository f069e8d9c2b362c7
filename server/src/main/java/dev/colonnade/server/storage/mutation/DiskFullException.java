package dev.colonnade.server.storage.mutation;

/**
 * A disk has too little room for the request. Nothing was applied. Reads go on; the store accepts
 * writes again by itself once there is room.
 */
public final class DiskFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says which disk, how much is missing, and what to do. */
  public DiskFullException(String message) {
    super(message);
  }
}
