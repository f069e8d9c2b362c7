package dev.colonnade.server.service.consistency;

import java.util.concurrent.atomic.LongAdder;

/** Counts what {@link CoordinatorFigures} shows. Thread-safe. */
public final class ReadCounters {

  public final LongAdder mismatches = new LongAdder();
  final LongAdder late = new LongAdder();
  public final LongAdder inBackground = new LongAdder();

  public CoordinatorFigures figures() {
    return new CoordinatorFigures(mismatches.sum(), late.sum(), inBackground.sum());
  }
}
