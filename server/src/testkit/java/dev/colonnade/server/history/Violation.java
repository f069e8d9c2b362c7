package dev.colonnade.server.history;

import java.util.Locale;

/**
 * Something that cannot have been.
 *
 * @param row where it was seen
 * @param words what was seen, and why it is wrong
 */
public record Violation(Kind kind, String row, String words) {

  /** How a history can be wrong. */
  public enum Kind {
    /** No change wrote it. */
    NEVER_WRITTEN,
    /** It was seen although the change was refused. */
    REFUSED,
    /** It was seen before its change began. */
    FUTURE,
    /** One change was seen with two timestamps: it was made twice. */
    TWICE,
    /** An older version than the one that was acknowledged. */
    STALE,
    /** Nothing, where a value had been acknowledged or seen. */
    LOST,
    /** A value although its deletion, or a newer one, was acknowledged or seen. */
    RESURRECTED,
    /** An older version than the one that was seen before. */
    WENT_BACK,
    /** Part of a batch. */
    TORN,
    /** A number of columns that there never were. */
    MISCOUNTED
  }

  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + words;
  }
}
