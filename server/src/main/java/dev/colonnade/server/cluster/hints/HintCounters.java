package dev.colonnade.server.cluster.hints;

import java.util.concurrent.atomic.LongAdder;

/** Counters of hints. Thread-safe. */
final class HintCounters {
  final LongAdder kept = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder delivered = new LongAdder();
  final LongAdder handedOver = new LongAdder();
  final LongAdder droppedOld = new LongAdder();
  final LongAdder droppedGone = new LongAdder();
  final LongAdder droppedTruncated = new LongAdder();
  final LongAdder droppedRefused = new LongAdder();
  final LongAdder damagedSegments = new LongAdder();

  HintTotals totals(long queuedBytes) {
    return new HintTotals(
        kept.sum(),
        refused.sum(),
        delivered.sum(),
        handedOver.sum(),
        droppedOld.sum(),
        droppedGone.sum(),
        droppedTruncated.sum(),
        droppedRefused.sum(),
        damagedSegments.sum(),
        queuedBytes);
  }
}
