package dev.colonnade.server.storage.mutation;

/** A bound was reached. Nothing was applied; the call can be repeated later. */
public final class OverloadedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String limit;

  /** Names the stage or limit that is full. */
  public OverloadedException(String limit) {
    super(limit + " is full");
    this.limit = limit;
  }

  public String limit() {
    return limit;
  }
}
