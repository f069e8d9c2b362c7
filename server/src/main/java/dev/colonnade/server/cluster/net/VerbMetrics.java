package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.metrics.Histograms;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts messages by verb. Thread-safe. */
final class VerbMetrics {
  private static final double MICROS_PER_SECOND = 1e6;

  private final Histogram durations =
      Histograms.ofDurations(
          "colonnade_message_duration_seconds",
          "From sending a request to another node to its answer, failures included",
          "verb");

  private final Map<Verb, PerVerb> counts = new EnumMap<>(Verb.class);

  VerbMetrics() {
    for (Verb verb : Verb.values()) {
      counts.put(verb, new PerVerb(durations.labelValues(verb.name().toLowerCase(Locale.ROOT))));
    }
  }

  PerVerb of(Verb verb) {
    return Objects.requireNonNull(counts.get(verb));
  }

  /** The durations of requests by verb, to be registered. */
  Histogram durations() {
    return durations;
  }

  List<VerbFigures> figures() {
    List<VerbFigures> figures = new ArrayList<>(counts.size());
    for (Verb verb : Verb.values()) {
      PerVerb of = of(verb);
      long answered = of.duration.getCount();
      figures.add(
          new VerbFigures(
              verb,
              of.sent.sum(),
              of.received.sum(),
              of.dropped.sum(),
              of.timedOut.sum(),
              of.cancelled.sum(),
              of.failed.sum(),
              answered,
              answered == 0 ? 0 : of.duration.getSum() * MICROS_PER_SECOND / answered));
    }
    return List.copyOf(figures);
  }

  /** The counts of one verb. */
  static final class PerVerb {
    final LongAdder sent = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder failed = new LongAdder();
    final DistributionDataPoint duration;

    PerVerb(DistributionDataPoint duration) {
      this.duration = duration;
    }
  }
}
