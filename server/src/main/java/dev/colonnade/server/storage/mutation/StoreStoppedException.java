package dev.colonnade.server.storage.mutation;

/**
 * The store accepts no more writes: it is closing, or the commit log failed and cannot be trusted
 * any more.
 */
public final class StoreStoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says why and what to do. */
  public StoreStoppedException(String message) {
    super(message);
  }
}
