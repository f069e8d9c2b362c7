package dev.colonnade.server.service.coordinator;

import java.util.concurrent.atomic.LongAdder;

/** Counts what {@link CoordinatorFigures} shows. Thread-safe. */
final class ReadCounters {

  final LongAdder mismatches = new LongAdder();
  final LongAdder late = new LongAdder();
  final LongAdder inBackground = new LongAdder();

  CoordinatorFigures figures() {
    return new CoordinatorFigures(mismatches.sum(), late.sum(), inBackground.sum());
  }
}
