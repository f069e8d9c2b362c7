package dev.colonnade.server.history;

/**
 * What a store promises of an answer, beside that it shows only what was written and not refused.
 */
public enum Promise {
  /** Nothing more: a read of several pages at ONE. */
  WEAK(false, false),
  /** Of each batch it shows all or nothing: one page at ONE. */
  WHOLE(false, true),
  /**
   * Each column is at least as new as what was acknowledged, or shown by such an answer, before the
   * read began: a read at QUORUM of some columns of a row.
   */
  FRESH(true, false),
  /**
   * Both, and once it has shown part of a batch, later ones show the rest: a read at QUORUM of a
   * row that is never read in parts. Reads in parts repair parts, and may so tear what is not
   * acknowledged.
   */
  FRESH_AND_WHOLE(true, true);

  private final boolean fresh;
  private final boolean whole;

  Promise(boolean fresh, boolean whole) {
    this.fresh = fresh;
    this.whole = whole;
  }

  boolean isFresh() {
    return fresh;
  }

  boolean isWhole() {
    return whole;
  }
}
