package dev.colonnade.server.metrics;

/** Something that can be shown. */
public sealed interface Metric permits Counter, Gauge, Latency {}
