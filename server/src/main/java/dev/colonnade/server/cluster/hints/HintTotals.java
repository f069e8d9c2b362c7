package dev.colonnade.server.cluster.hints;

/**
 * Counts of hints since the start.
 *
 * @param kept written to disk
 * @param refused not kept, for want of room, because of the window, or because of a failing disk
 * @param delivered applied by their target
 * @param handedOver written to the rows' owners, because their target no longer owns them
 * @param droppedOld parts dropped because tombstones of their time may have been purged
 * @param droppedGone parts dropped because their family is gone
 * @param droppedTruncated parts dropped because their family was truncated since
 * @param droppedRefused dropped because their target will never accept them
 * @param damagedSegments segments set aside because of damage
 * @param queuedBytes waiting in memory now
 */
public record HintTotals(
    long kept,
    long refused,
    long delivered,
    long handedOver,
    long droppedOld,
    long droppedGone,
    long droppedTruncated,
    long droppedRefused,
    long damagedSegments,
    long queuedBytes) {

  /** All zero. */
  public static final HintTotals NONE = new HintTotals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
