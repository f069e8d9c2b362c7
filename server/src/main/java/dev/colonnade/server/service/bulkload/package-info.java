/**
 * Takes sorted rows from clients in bulk, past the commit log and the memtables: the receiving side
 * of {@code BulkLoadService}.
 *
 * <p>{@link dev.colonnade.server.service.bulkload.BulkLoads} is the entry point: it admits a load
 * if there is a place for it and if this node is a replica of its ranges. A {@link
 * dev.colonnade.server.service.bulkload.BulkLoad} writes its rows with the same ingest as streams
 * between nodes do, so they become durable and visible in one step, and nothing is left of a load
 * that ends early. What a chunk looks like on the wire is not known here.
 *
 * <p>Threads: each load is a sequence of tasks on {@code Stage.COMPACTION}, one at a time.
 */
@NullMarked
package dev.colonnade.server.service.bulkload;

import org.jspecify.annotations.NullMarked;
