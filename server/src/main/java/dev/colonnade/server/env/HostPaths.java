package dev.colonnade.server.env;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes the paths of this machine out of messages that leave it: where its files lie is for its own
 * log, and tells a client or a peer nothing that it could use. A file keeps its name.
 *
 * <p>Thread-safe: it has no state.
 */
public final class HostPaths {

  private static final String NAME = "[\\w.+@%~-]";

  /** Absolute paths, but not the rest of a relative one, an address or a URL. */
  private static final Pattern ABSOLUTE =
      Pattern.compile("(?<![\\w/.:-])/(?:" + NAME + "+/)*(" + NAME + "+)/?");

  private HostPaths() {}

  /** The message, with the names of files instead of their paths; empty for none. */
  public static String without(@Nullable String message) {
    return message == null || message.indexOf('/') < 0
        ? String.valueOf(message == null ? "" : message)
        : ABSOLUTE.matcher(message).replaceAll("$1");
  }

  /** The message of what was thrown, or its name if it has none. */
  public static String without(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null ? thrown.getClass().getSimpleName() : without(message);
  }
}
