package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.model.FamilyId;

/**
 * A write comes from after a truncation that this store has yet to apply: applied now, it would be
 * lost with the truncated rows. Nothing was done.
 */
public final class TruncationPendingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient FamilyId family;
  private final long truncation;

  /** For a family whose truncation of that number is still to be applied. */
  public TruncationPendingException(FamilyId family, long truncation) {
    super(
        "a truncation of column family " + family + " is still pending here; nothing was written");
    this.family = family;
    this.truncation = truncation;
  }

  /** The truncated family. */
  public FamilyId family() {
    return family;
  }

  /** The truncation to apply. */
  public long truncation() {
    return truncation;
  }
}
