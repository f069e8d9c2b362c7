package dev.colonnade.server.storage.mutation;

/** A mutation that does not fit a record of the commit log. Nothing was applied. */
public final class MutationTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** For a mutation of that size. */
  public MutationTooLargeException(long bytes, long limitBytes) {
    super(
        "a mutation of one row has "
            + bytes
            + " bytes; the commit log accepts at most "
            + limitBytes
            + ". Nothing was applied: split it");
  }
}
