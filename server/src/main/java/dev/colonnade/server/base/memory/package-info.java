/**
 * Accounts for the memory that a node holds on behalf of others.
 *
 * <p>A {@link dev.colonnade.server.base.memory.MemoryPlan} divides the heap and the direct memory
 * that the process was given. Memory that a node uses by its own decision (memtables, caches,
 * filters) has a fixed share there. Memory that others make it hold for a while (requests, answers,
 * messages between nodes) is taken from one of two {@link
 * dev.colonnade.server.base.memory.MemoryPool}s: requested before it is allocated, refused if it
 * does not fit, and released after use. Within a pool each connection and each peer has a {@link
 * dev.colonnade.server.base.memory.MemoryPool.Share}, whose limit shrinks as the pool fills up, so
 * that heavy users leave room for light ones.
 *
 * <p>Everything here is thread-safe and nothing waits. Not allowed here: knowledge of what the
 * bytes are.
 */
@NullMarked
package dev.colonnade.server.base.memory;

import org.jspecify.annotations.NullMarked;
