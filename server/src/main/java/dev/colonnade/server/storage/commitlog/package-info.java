/**
 * The commit log: makes mutations durable before they are acknowledged, and replays them after a
 * crash.
 *
 * <p>{@link dev.colonnade.server.storage.commitlog.CommitLog} appends groups of records to the last
 * of a chain of segments; each group is one write. A full segment is synced and followed by a new
 * one. Once every column family has been flushed past its records in the oldest segments, these are
 * deleted. At start the records are replayed in order before anything is appended; a segment of an
 * earlier run is never written again.
 *
 * <p>The log does not know what a record means. It knows only which families have records in which
 * segment, because the caller says so.
 *
 * <p>A failed write or sync is final. The contents of the file are unknown after it, so the log
 * refuses everything from then on, and the node must stop accepting writes. {@code
 * CommitLogFormat.md} beside this file is the layout on disk, and says how a reader treats damage:
 * a torn tail of the last segment ends the replay, anything else is reported and nothing is
 * skipped.
 *
 * <p>Threads: one appends at a time; syncs, flush notices and figures may come from others
 * meanwhile. Nothing here creates threads or reads the clock: the engine decides when to sync.
 */
@NullMarked
package dev.colonnade.server.storage.commitlog;

import org.jspecify.annotations.NullMarked;
