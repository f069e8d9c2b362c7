package dev.colonnade.server.base.metrics;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All series of one name, which are of one kind.
 *
 * @param name lower-case words joined by {@code _}, with the unit last
 * @param help one sentence for people
 * @param series by labels, sorted; unmodifiable, not empty
 */
public record MetricFamily(String name, String help, SortedMap<Labels, Metric> series) {
  /** Copies the map. */
  public MetricFamily {
    series = Collections.unmodifiableSortedMap(new TreeMap<>(series));
  }
}
