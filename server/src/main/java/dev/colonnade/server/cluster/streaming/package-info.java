/**
 * Moves rows of ranges from one node to another, in bulk: when a node joins or leaves, and for
 * differences that a repair found.
 *
 * <p>{@link dev.colonnade.server.cluster.streaming.Streams} is the entry point. The sender scans
 * its data files over the ranges, merged and with all deletions, and sends the rows in chunks of a
 * bounded size, a few at a time: the answer to a chunk is the credit for another. Each chunk
 * carries a checksum over its content, its stream and its number. The receiver writes data files as
 * the chunks come, under names that no live set has, and makes them durable and live in one step
 * when the stream is closed. A stream that ends in any other way leaves nothing behind; after a
 * crash the next start deletes its files. Repeating a message does no harm.
 *
 * <p>All streams that a node sends share one rate. Memory is bounded by the number of streams times
 * the chunks under way.
 *
 * <p>Threads: each stream is a sequence of tasks on {@code Stage.COMPACTION}, one at a time.
 */
@NullMarked
package dev.colonnade.server.cluster.streaming;

import org.jspecify.annotations.NullMarked;
