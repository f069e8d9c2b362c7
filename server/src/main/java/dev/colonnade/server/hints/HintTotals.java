package dev.colonnade.server.hints;

/**
 * Counts of hints since the start.
 *
 * @param kept written to disk
 * @param refused not kept, for want of room, because of the window, or because of a failing disk
 * @param delivered applied by the node they were for
 * @param handedOver written to the rows' owners, because their node owns them no more
 * @param droppedOld parts dropped because deletions of their time may be forgotten
 * @param droppedGone parts dropped because their family is gone
 * @param droppedTruncated parts dropped because their family was truncated since
 * @param droppedRefused dropped because their node will never take them
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

  /** Nothing yet. */
  public static final HintTotals NONE = new HintTotals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
