package dev.colonnade.client;

/**
 * How far a snapshot is.
 *
 * @param progress in bytes that are read for checksums, or in nodes
 * @param answers what was taken, once it is done; empty before
 */
public record SnapshotStep(Progress progress, SnapshotAnswers answers) {}
