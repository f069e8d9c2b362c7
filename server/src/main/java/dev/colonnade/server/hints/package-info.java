/**
 * Hinted handoff: writes kept for nodes that are away, and delivered when they return.
 *
 * <p>{@link dev.colonnade.server.hints.Hints} is the face. For each target there is a directory
 * with segments in the commit log's framing, appended to one at a time; {@code HintFormat.md}
 * beside this file is the layout. A delivery reads segments that are closed, in order, one message
 * at a time, and deletes each when it is delivered. Everything may be delivered twice: a mutation
 * that is applied again changes nothing.
 *
 * <p>A hint is dropped, and this is counted and said in the log, when its family is gone or was
 * truncated since, or when it is as old as the family's gc grace: the deletion of what it writes
 * may have been forgotten by then. Hints of a node that left the cluster, and of rows that moved to
 * others, go to whoever owns the rows now: at level ANY a hint may be the only copy.
 *
 * <p>No hint counts towards any level but ANY, and that one only after its sync.
 *
 * <p>Threads: {@code keep} and the figures are for any thread and do no file work. Everything else
 * happens on {@code Stage.HINTS}, one task at a time, so that it needs no locks.
 */
@NullMarked
package dev.colonnade.server.hints;

import org.jspecify.annotations.NullMarked;
