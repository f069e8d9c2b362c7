package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.metrics.Counter;
import dev.colonnade.server.base.metrics.Latency;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Counts messages by verb. Thread-safe. */
final class VerbMetrics {
  private final Map<Verb, PerVerb> counts = new EnumMap<>(Verb.class);

  VerbMetrics() {
    for (Verb verb : Verb.values()) {
      counts.put(verb, new PerVerb());
    }
  }

  PerVerb of(Verb verb) {
    return Objects.requireNonNull(counts.get(verb));
  }

  List<VerbFigures> figures() {
    List<VerbFigures> figures = new ArrayList<>(counts.size());
    for (Verb verb : Verb.values()) {
      PerVerb of = of(verb);
      figures.add(
          new VerbFigures(
              verb,
              of.sent.total(),
              of.received.total(),
              of.dropped.total(),
              of.timedOut.total(),
              of.cancelled.total(),
              of.failed.total(),
              of.latency.snapshot()));
    }
    return List.copyOf(figures);
  }

  /** The counts of one verb. */
  static final class PerVerb {
    final Counter sent = new Counter();
    final Counter received = new Counter();
    final Counter dropped = new Counter();
    final Counter timedOut = new Counter();
    final Counter cancelled = new Counter();
    final Counter failed = new Counter();
    final Latency latency = new Latency();
  }
}
