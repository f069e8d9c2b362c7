package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.metrics.Histograms;
import io.prometheus.metrics.core.metrics.Histogram;
import java.util.Locale;

/** What is measured of each read and write of a column family; the metric is a histogram. */
public enum FamilyDistribution {
  READ_DURATION_SECONDS("Time of a page read from this node's memory and data files"),
  WRITE_DURATION_SECONDS("Time from a row mutation to its acknowledgement by this node"),
  READ_TOMBSTONES("Deletions and expired columns that one read passed over");

  private final String help;

  FamilyDistribution(String help) {
    this.help = help;
  }

  /** The metric's name. */
  public String metricName() {
    return "colonnade_family_" + name().toLowerCase(Locale.ROOT);
  }

  /** A description of what is measured. */
  public String help() {
    return help;
  }

  /** A histogram without labels for one family: who shows it knows the family's name. */
  Histogram create() {
    return this == READ_TOMBSTONES
        ? Histograms.ofCounts(metricName(), help)
        : Histograms.ofDurations(metricName(), help);
  }
}
