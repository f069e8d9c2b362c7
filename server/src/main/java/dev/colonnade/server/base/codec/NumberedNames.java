package dev.colonnade.server.base.codec;

import java.util.Optional;

/**
 * Names of files that differ by a number only, written with leading zeros so that names sort as
 * numbers do. Immutable.
 *
 * @param prefix before the number
 * @param suffix behind it
 */
public record NumberedNames(String prefix, String suffix) {

  /** As many as the greatest number has. */
  private static final int DIGITS = 19;

  /** The name with that number, which is not negative. */
  public String of(long number) {
    String digits = Long.toString(number);
    return prefix + "0".repeat(DIGITS - digits.length()) + digits + suffix;
  }

  /** The number, from 1 on, in that name; empty for other files. */
  public Optional<Long> number(String name) {
    if (name.length() != prefix.length() + DIGITS + suffix.length()
        || !name.startsWith(prefix)
        || !name.endsWith(suffix)) {
      return Optional.empty();
    }
    try {
      long number = Long.parseLong(name.substring(prefix.length(), prefix.length() + DIGITS));
      return number > 0 ? Optional.of(number) : Optional.empty();
    } catch (NumberFormatException notOurs) {
      return Optional.empty();
    }
  }
}
