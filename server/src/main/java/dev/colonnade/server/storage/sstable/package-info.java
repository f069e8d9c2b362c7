/**
 * One immutable sorted data file (SSTable) with its auxiliary components: sparse index, Bloom
 * filter, key index, statistics.
 *
 * <p>An {@link dev.colonnade.server.storage.sstable.SSTableWriter} takes rows in order and leaves a
 * durable {@link dev.colonnade.server.storage.sstable.SSTable}, or nothing. An {@code SSTable}
 * answers one row at a time with a lazy {@link dev.colonnade.server.base.model.AtomCursor}, walks
 * row keys in order, and provides an {@link dev.colonnade.server.storage.sstable.SSTableScan} for
 * reading everything. The layout of the files is in {@code SSTableFormat.md} beside this code.
 *
 * <p>Threads: an {@code SSTable} is thread-safe; writers, cursors and scans belong to one thread at
 * a time. A read says in its {@link dev.colonnade.server.storage.sstable.ReadContext} whether it
 * may read from disk; if it must but may not, it ends with {@link
 * dev.colonnade.server.storage.sstable.NotCachedException} and is repeated where blocking is
 * allowed.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>rows are in (token, key) order, atoms in path order, each once;
 *   <li>every block can be read on its own;
 *   <li>no byte is served whose checksum was not verified when it was read;
 *   <li>auxiliary components can be lost without losing an answer.
 * </ul>
 *
 * <p>This follows section 5.3 of the Bigtable paper (OSDI 2006) with the column index of the first
 * Cassandra; unlike both, one B+tree serves as the index of rows and of the columns inside wide
 * rows. Not allowed here: merging of several files, memtables, schema objects.
 */
@NullMarked
package dev.colonnade.server.storage.sstable;

import org.jspecify.annotations.NullMarked;
