package dev.colonnade.server.engine;

import dev.colonnade.server.model.FamilyId;

/**
 * A write comes from after a truncation that this store has still to make: what it says would be
 * lost with the rest. Nothing was done.
 */
public final class TruncationPendingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient FamilyId family;
  private final long truncation;

  TruncationPendingException(FamilyId family, long truncation) {
    super("column family " + family + " has still to be truncated here; nothing was written");
    this.family = family;
    this.truncation = truncation;
  }

  /** Which one. */
  public FamilyId family() {
    return family;
  }

  /** The truncation to make. */
  public long truncation() {
    return truncation;
  }
}
