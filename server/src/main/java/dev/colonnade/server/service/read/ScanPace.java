package dev.colonnade.server.service.read;

/**
 * Decides how many ranges a scan reads at once. The width doubles after a step that used all the
 * ranges it read, and shrinks to the number used after a step that needed fewer. A scan of an empty
 * table thus becomes as wide as allowed, and a scan of full ranges reads nothing in vain.
 *
 * <p>Thread-safe; scans of one family share what they learn.
 */
final class ScanPace {
  private final int widthMax;
  private volatile int width = 1;

  ScanPace(int widthMax) {
    this.widthMax = widthMax;
  }

  /** How many ranges to read next; at least 1. */
  int width() {
    return width;
  }

  /**
   * Adjusts the width after a step.
   *
   * @param asked how many ranges it read
   * @param used how many of the answers it used before it had enough; equal to {@code asked} if it
   *     would have taken more
   */
  void took(int asked, int used, boolean wouldTakeMore) {
    width = wouldTakeMore ? Math.min(widthMax, Math.max(width, 2 * asked)) : Math.max(1, used);
  }
}
