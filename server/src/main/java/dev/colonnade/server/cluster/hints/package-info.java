/**
 * Hinted handoff: writes kept for nodes that are away, and delivered when they return.
 *
 * <p>{@link dev.colonnade.server.cluster.hints.Hints} is the entry point. Each target has a
 * directory with segments in the commit log's framing, appended to one at a time; {@code
 * HintFormat.md} beside this file is the layout. A dispatch reads closed segments in order, one
 * message at a time, and deletes each when it is delivered. Hints may be delivered twice: a
 * mutation that is applied again changes nothing.
 *
 * <p>A hint is dropped, counted and logged, when its family is gone or was truncated since, or when
 * it is as old as the family's gc grace: the tombstone of what it writes may have been purged by
 * then. Hints of a node that left the cluster, and of rows that moved to others, go to the current
 * owners of the rows: at level ANY a hint may be the only copy.
 *
 * <p>Hints count towards no level but ANY, and there only after their sync.
 *
 * <p>Threads: {@code keep} and the figures are for any thread and do no file work. Everything else
 * runs on {@code Stage.HINTS}, one task at a time, so it needs no locks.
 */
@NullMarked
package dev.colonnade.server.cluster.hints;

import org.jspecify.annotations.NullMarked;
