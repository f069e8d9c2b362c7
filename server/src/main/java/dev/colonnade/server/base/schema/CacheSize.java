package dev.colonnade.server.base.schema;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How many keys or rows of a column family a cache may hold: a number, or a share of all.
 *
 * @param isShare whether {@code amount} is a share from 0 to 1, and not a number of entries
 * @param amount a whole number of entries from 0 to 2^40, or a share
 */
public record CacheSize(boolean isShare, double amount) {

  /** Nothing is cached. */
  public static final CacheSize NONE = new CacheSize(false, 0);

  private static final long MOST_ENTRIES = 1L << 40;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}(\\.[0-9]{1,15})?");

  /**
   * Parses {@code 200000}, {@code 0.5} (half of them) or {@code 50%}. A number from 1 on counts
   * entries, one below 1 is a share, as in the old configuration files.
   */
  public static Optional<CacheSize> parse(String text) {
    boolean isPercent = text.endsWith("%");
    String digits = isPercent ? text.substring(0, text.length() - 1) : text;
    if (!NUMBER.matcher(digits).matches()) {
      return Optional.empty();
    }
    double number = Double.parseDouble(digits);
    if (isPercent) {
      return number <= 100 ? Optional.of(new CacheSize(true, number / 100)) : Optional.empty();
    }
    if (number > 0 && number < 1) {
      return Optional.of(new CacheSize(true, number));
    }
    return number <= MOST_ENTRIES && number == Math.rint(number)
        ? Optional.of(new CacheSize(false, number))
        : Optional.empty();
  }

  /** How many entries that is of {@code available} ones. */
  public long entries(long available) {
    return isShare ? (long) Math.ceil(amount * available) : (long) amount;
  }

  /** In the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return isShare
        ? String.format(Locale.ROOT, "%.4f", amount * 100).replaceAll("\\.?0+$", "") + "%"
        : Long.toString((long) amount);
  }
}
