package dev.colonnade.cli.shell.terminal;

import java.time.Instant;
import java.util.regex.Pattern;
import org.jline.reader.impl.history.DefaultHistory;

/**
 * The statements that were typed, without those that seem to contain a password. The language has
 * no place for one, but people type it where other languages do.
 */
final class SecretFreeHistory extends DefaultHistory {

  /** {@code login NAME WORD}, or a password given to a user. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?is)\\blogin\\s+\\S+\\s+[^\\s;]|\\b(create|alter)\\s+user\\b.*"
              + "(\\bpassword\\b(?!\\s*+(=\\s*+none\\b|with\\b|;|$))|\\bidentified\\b)");

  /** Whether a statement seems to contain a password. */
  static boolean hasSecret(String typed) {
    return SECRET.matcher(typed).find();
  }

  @Override
  public void add(Instant time, String line) {
    if (!hasSecret(line)) {
      super.add(time, line);
    }
  }
}
