package dev.colonnade.server.coordinator;

/**
 * How many ranges a scan asks at once: twice as many after a step that used all that it had asked
 * for, and no more than were used where it got enough from fewer. So a scan of an empty table is as
 * wide as it may be, and one of full ranges asks for nothing in vain.
 *
 * <p>Thread-safe; scans of one family share what they learn.
 */
final class ScanPace {
  private final int widthMax;
  private volatile int width = 1;

  ScanPace(int widthMax) {
    this.widthMax = widthMax;
  }

  /** How many ranges to ask next; at least 1. */
  int width() {
    return width;
  }

  /**
   * A step is over.
   *
   * @param asked how many ranges it asked
   * @param used how many of the answers it could show before it had enough; as many as were asked
   *     if it would have taken more
   */
  void took(int asked, int used, boolean wouldTakeMore) {
    width = wouldTakeMore ? Math.min(widthMax, Math.max(width, 2 * asked)) : Math.max(1, used);
  }
}
