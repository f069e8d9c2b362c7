/**
 * One node's store. Writes go to the commit log and a memtable, memtables are flushed to data
 * files, data files are compacted, and reads merge over all of them.
 *
 * <p>The main types: {@code WritePipeline} puts mutations in one order and into log and memtables;
 * {@code ColumnFamilyStore} holds one column family's {@code FamilyVersion}, the immutable snapshot
 * of memtables and files that a read works on; {@code ReadPath} carries out {@link
 * dev.colonnade.server.base.model.ReadCommand}s on the right thread, each {@code ReadAttempt} over
 * one version, as a page or a fragment ({@code ReadOutput}); {@code Flusher} and {@code Compactor}
 * move data to files in the background and publish through the manifest; {@link
 * dev.colonnade.server.storage.engine.StorageEngine} wires and closes them, and {@code LogControl}
 * ends writing when the log fails.
 *
 * <p>Threads: one thread at a time applies mutations, whichever drains the pipeline; reads run on
 * the caller's thread over a snapshot and start over on the read stage when they need a block from
 * disk; changes of the set of live files run on the serial manifest stage.
 *
 * <p>Not allowed here: consistency levels, other nodes, wire formats.
 */
@NullMarked
package dev.colonnade.server.storage.engine;

import org.jspecify.annotations.NullMarked;
