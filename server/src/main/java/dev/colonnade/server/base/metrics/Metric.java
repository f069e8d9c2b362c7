package dev.colonnade.server.base.metrics;

/** Something that can be shown. */
public sealed interface Metric permits Counter, Gauge, Latency {}
