package dev.colonnade.server.base.metrics;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Distinguishes the series of one metric, for instance by column family.
 *
 * @param pairs value by name; unmodifiable
 */
public record Labels(SortedMap<String, String> pairs) implements Comparable<Labels> {
  /** No labels. */
  public static final Labels NONE = new Labels(new TreeMap<>());

  /** Copies the pairs and checks the names. */
  public Labels {
    pairs = Collections.unmodifiableSortedMap(new TreeMap<>(pairs));
    for (String name : pairs.keySet()) {
      MetricSet.requireName(name);
    }
  }

  /** One label. */
  public static Labels of(String name, String value) {
    return NONE.and(name, value);
  }

  /** Returns these labels and one more. */
  public Labels and(String name, String value) {
    TreeMap<String, String> more = new TreeMap<>(pairs);
    more.put(name, value);
    return new Labels(more);
  }

  @Override
  public int compareTo(Labels other) {
    return pairs.toString().compareTo(other.pairs.toString());
  }
}
