/**
 * One node's store: what is written goes to the commit log and a memtable, memtables become data
 * files, data files are merged, and reads merge over all of them.
 *
 * <p>The nouns: {@code WritePipeline} puts mutations in one order and into log and memtables;
 * {@code ColumnFamilyStore} holds one column family's {@code FamilyVersion}, the immutable snapshot
 * of memtables and files that a read works on; {@code SliceReader} and {@code RangeReader} read
 * pages over a view; {@code Flusher} and {@code Compactor} move data to files in the background and
 * publish through the manifest; {@link dev.colonnade.server.engine.StorageEngine} opens, wires and
 * closes them.
 *
 * <p>Threads: mutations are applied by one thread at a time, whichever drains the pipeline; reads
 * run on the caller's thread over a snapshot and are repeated on the read stage when they need a
 * block from disk; what changes the set of live files runs on the serial manifest stage.
 *
 * <p>What may not enter: consistency levels, other nodes, wire formats.
 */
@NullMarked
package dev.colonnade.server.engine;

import org.jspecify.annotations.NullMarked;
