package dev.colonnade.server.history;

/**
 * What a store promises of an answer, beside that it shows only what was written and not refused.
 */
public enum Promise {
  /**
   * Nothing more: a read of several pages at ONE, or of a replica that has missed writes, where a
   * read at a higher level may have repaired a part of a batch.
   */
  WEAK(false, false, false),
  /** Of each batch it shows all or nothing: one page of a replica that has missed nothing. */
  WHOLE(false, true, false),
  /**
   * Each column is at least as new as what was acknowledged before the read began; what the answer
   * shows beyond that binds no other: what one node knows of rights and of the schema.
   */
  CURRENT(true, false, false),
  /**
   * Each column is at least as new as what was acknowledged, or shown by such an answer, before the
   * read began: a read at QUORUM of some columns of a row.
   */
  FRESH(true, false, true),
  /**
   * Both, and once it has shown part of a batch, later ones show the rest: a read at QUORUM of a
   * row that is never read in parts. Reads in parts repair parts, and may so tear what is not
   * acknowledged.
   */
  FRESH_AND_WHOLE(true, true, true);

  private final boolean fresh;
  private final boolean whole;
  private final boolean binding;

  Promise(boolean fresh, boolean whole, boolean binding) {
    this.fresh = fresh;
    this.whole = whole;
    this.binding = binding;
  }

  boolean isFresh() {
    return fresh;
  }

  boolean isWhole() {
    return whole;
  }

  /** Whether later answers must be as new as this one. */
  boolean isBinding() {
    return binding;
  }
}
