package dev.colonnade.server.base.env;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes this machine's paths from messages that leave it: the location of its files is for its
 * own log, and of no use to a client or a peer. A file keeps its name.
 *
 * <p>Thread-safe: it has no state.
 */
public final class HostPaths {

  private static final String NAME = "[\\w.+@%~-]";

  /** Absolute paths, but not the rest of a relative one, an address or a URL. */
  private static final Pattern ABSOLUTE =
      Pattern.compile("(?<![\\w/.:-])/(?:" + NAME + "+/)*(" + NAME + "+)/?");

  private HostPaths() {}

  /** Returns the message, with the names of files instead of their paths; empty for null. */
  public static String without(@Nullable String message) {
    return message == null || message.indexOf('/') < 0
        ? String.valueOf(message == null ? "" : message)
        : ABSOLUTE.matcher(message).replaceAll("$1");
  }

  /** The message of a throwable, or its name if it has none. */
  public static String without(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null ? thrown.getClass().getSimpleName() : without(message);
  }
}
