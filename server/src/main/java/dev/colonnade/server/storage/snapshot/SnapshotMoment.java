package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.model.LogPosition;

/**
 * The moment of which a node's snapshot is: all its families have what the commit log holds up to
 * there, and nothing that is behind it.
 *
 * @param position of the last record that the data files cover
 * @param wallMicros when that was, by the clock of the node, in microseconds since 1970
 */
public record SnapshotMoment(LogPosition position, long wallMicros) {}
