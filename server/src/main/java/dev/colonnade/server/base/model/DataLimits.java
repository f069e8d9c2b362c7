package dev.colonnade.server.base.model;

/**
 * The longest parts of a row. What accepts data refuses longer ones, and every format that keeps or
 * sends data reads all that was accepted: both take their bounds from here.
 */
public final class DataLimits {

  /** The longest row key, in bytes. Page tokens and bulk loads store its length in two bytes. */
  public static final int KEY_BYTES = 65_535;

  /** A position among keys: a key, or the place right behind it, which is a byte longer. */
  public static final int KEY_POSITION_BYTES = KEY_BYTES + 1;

  /** The longest name of a column or a super column, in bytes. */
  public static final int NAME_BYTES = 65_535;

  /**
   * The longest token of a key: the rules for en-US make six bytes of a character, and a few more.
   * The statistics of a data file hold two keys with their tokens, and must fit a footer.
   */
  public static final int KEY_TOKEN_BYTES = 6 * (KEY_BYTES + 1);

  /**
   * A position on the ring: a key's token, or one that halving of ranges made, which may add a
   * character to the longer of its ends each time.
   */
  public static final int TOKEN_BYTES = 1 << 20;

  private DataLimits() {}
}
