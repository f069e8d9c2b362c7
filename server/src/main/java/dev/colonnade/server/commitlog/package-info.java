/**
 * The commit log: makes mutations durable before they are acknowledged, and gives them back after a
 * crash.
 *
 * <p>{@link dev.colonnade.server.commitlog.CommitLog} appends groups of records to the last of a
 * chain of segments; each group is one write. A segment that is full is synced and followed by a
 * new one. Once every column family has been flushed past what it has in the oldest segments, these
 * are deleted. At start the records are replayed in order before anything is appended; a segment of
 * an earlier run is never written again.
 *
 * <p>The log does not know what a record means. It knows which families have something in which
 * segment, because the caller says so, and nothing else about them.
 *
 * <p>A failed write or sync is final. What the file holds after it is unknown, so the log refuses
 * everything from then on, and the node must stop taking writes. {@code CommitLogFormat.md} beside
 * this file is the layout on disk, and says what a reader makes of damage: a torn tail of the last
 * segment ends the replay, anything else is reported and nothing is skipped.
 *
 * <p>Threads: one appends at a time; syncs, flush notices and figures may come from others
 * meanwhile. Nothing here makes threads or asks for the time: when to sync is the engine's
 * business.
 */
@NullMarked
package dev.colonnade.server.commitlog;

import org.jspecify.annotations.NullMarked;
