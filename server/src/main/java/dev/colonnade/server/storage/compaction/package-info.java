/**
 * Compaction of data files: the choice of files, and the merge itself.
 *
 * <p>{@link dev.colonnade.server.storage.compaction.SizeTieredPolicy} is a pure function from the
 * live files to the compactions worth doing; {@link
 * dev.colonnade.server.storage.compaction.Compaction} does one of them, row by row, in bounded
 * steps that reschedule themselves, so that it can be throttled and cancelled without a sleeping
 * thread.
 *
 * <p>Deleted data never comes back: a deletion is purged only past its gc grace, and only if no
 * file outside of the compaction and no memtable can hold something that it hides. See {@code
 * Purger}.
 *
 * <p>Not allowed here: the live set itself. The engine supplies the files, takes the result, and
 * switches from the old files to the new.
 */
@NullMarked
package dev.colonnade.server.storage.compaction;

import org.jspecify.annotations.NullMarked;
