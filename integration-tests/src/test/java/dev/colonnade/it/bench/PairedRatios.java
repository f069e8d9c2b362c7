package dev.colonnade.it.bench;

import java.util.List;

/**
 * What a call costs in a new build, in multiples of what it costs in an old one: a ratio for each
 * round, in which the two took turns, so that whatever else the machine does affects both.
 *
 * @param sorted ascending; not empty
 */
record PairedRatios(List<Double> sorted) {

  /** Copies and sorts the ratios. */
  PairedRatios {
    if (sorted.isEmpty()) {
      throw new IllegalArgumentException("no rounds");
    }
    sorted = sorted.stream().sorted().toList();
  }

  double median() {
    return at(0.5);
  }

  /** A quarter of the rounds lies below. */
  double low() {
    return at(0.25);
  }

  /** A quarter of the rounds lies above. */
  double high() {
    return at(0.75);
  }

  /**
   * Whether the new build is slower by more than a part of the old one's cost, and by more than
   * noise: in three quarters of the rounds.
   */
  boolean isSlowerBy(double part) {
    return low() > 1 + part;
  }

  /** Between the two nearest ratios in proportion to the distance. */
  private double at(double part) {
    double place = part * (sorted.size() - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.size() - 1);
    return sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
  }
}
