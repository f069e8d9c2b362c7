package dev.colonnade.cli.shell.value;

/**
 * Which value a literal means that stands for many: a moment for all time UUIDs of it, a date for
 * all moments of the day in UTC.
 */
public enum Edge {
  /** The least of them, which is also what it means where no slice begins or ends. */
  FIRST,
  /** The greatest of them. */
  LAST;

  /**
   * For the end of a slice where the travel begins, as in {@code from X} and {@code after X}.
   *
   * @param exclusive for {@code after}
   */
  public static Edge ofFrom(boolean exclusive, boolean reversed) {
    return exclusive == reversed ? FIRST : LAST;
  }

  /**
   * For the end of a slice where the travel ends, as in {@code to Y} and {@code before Y}.
   *
   * @param exclusive for {@code before}
   */
  public static Edge ofTo(boolean exclusive, boolean reversed) {
    return exclusive == reversed ? LAST : FIRST;
  }
}
