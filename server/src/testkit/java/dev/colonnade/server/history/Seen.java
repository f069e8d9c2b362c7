package dev.colonnade.server.history;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an answer shows of one column: a version, or only as much as a caller can tell of it. */
public final class Seen {
  private static final Seen NOTHING = new Seen(null, null, false);

  private final @Nullable Version version;
  private final @Nullable String value;
  private final boolean different;

  private Seen(@Nullable Version version, @Nullable String value, boolean different) {
    this.version = version;
    this.value = value;
    this.different = different;
  }

  /** A value with its timestamp. */
  public static Seen version(long timestamp, String value) {
    return new Seen(new Version(timestamp, value), value, false);
  }

  /** No value: it was never written, or deleted. */
  public static Seen nothing() {
    return NOTHING;
  }

  /** A value without a timestamp, such as a right that a caller turned out to have. */
  public static Seen value(String value) {
    return new Seen(null, value, false);
  }

  /** Anything but this value, such as a password that was refused. */
  public static Seen otherThan(String value) {
    return new Seen(null, value, true);
  }

  /** The version; null if the answer does not name one. */
  @Nullable Version version() {
    return version;
  }

  /** The value that is there, or is not; null for nothing. */
  @Nullable String value() {
    return value;
  }

  boolean isDifferent() {
    return different;
  }

  /** Whether a column looks so that has this version; null for one that was never written. */
  boolean matches(@Nullable Version held) {
    if (version != null) {
      return version.equals(held);
    }
    return Objects.equals(value, held == null ? null : held.value()) != different;
  }

  @Override
  public String toString() {
    if (version != null) {
      return version.toString();
    }
    return value == null ? "nothing" : (different ? "other than '" : "'") + value + "'";
  }
}
