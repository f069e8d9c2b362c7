package dev.colonnade.server.base.metrics;

import java.util.function.DoubleSupplier;

/** A figure that goes up and down, read when it is shown. */
public final class Gauge implements Metric {
  private final DoubleSupplier source;

  Gauge(DoubleSupplier source) {
    this.source = source;
  }

  /** The figure now. */
  public double value() {
    return source.getAsDouble();
  }
}
