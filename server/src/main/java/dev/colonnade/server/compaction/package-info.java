/**
 * Merges data files: which ones, and how.
 *
 * <p>{@link dev.colonnade.server.compaction.SizeTieredPolicy} is a pure function from the live
 * files to the merges worth doing; {@link dev.colonnade.server.compaction.Compaction} does one of
 * them, row by row, in bounded steps that reschedule themselves, so that it can be throttled and
 * cancelled without a thread that sleeps.
 *
 * <p>Nothing that was deleted comes back: a deletion is dropped only past its gc grace, and only if
 * no file outside of the merge and no memtable can hold something that it hides. See {@code
 * Purger}.
 *
 * <p>What may not enter: the live set itself. Who starts a merge gives it files and takes its
 * result; the switch from the old to the new is the engine's.
 */
@NullMarked
package dev.colonnade.server.compaction;

import org.jspecify.annotations.NullMarked;
