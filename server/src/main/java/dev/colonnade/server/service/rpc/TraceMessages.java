package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.TraceEvent;

/** Translates the trace of a call to messages of the contract. */
final class TraceMessages {

  private static final long NANOS_PER_MICRO = 1_000;

  private TraceMessages() {}

  /** Adds the events so far. */
  static void add(CallTrace trace, RequestStats.Builder stats) {
    for (CallTrace.Event event : trace.events()) {
      stats.addTrace(
          TraceEvent.newBuilder()
              .setMicros(event.nanos() / NANOS_PER_MICRO)
              .setDurationMicros(event.durationNanos() / NANOS_PER_MICRO)
              .setStepValue(event.step().number())
              .setNode(event.node())
              .setPeer(event.peer())
              .setDetail(event.detail()));
    }
    stats.setTraceEventsDropped((int) Math.min(Integer.MAX_VALUE, trace.dropped()));
  }
}
