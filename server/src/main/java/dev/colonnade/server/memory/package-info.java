/**
 * One account for the memory that a node holds on behalf of others.
 *
 * <p>A {@link dev.colonnade.server.memory.MemoryPlan} divides the heap and the direct memory that
 * the process was given. What a node keeps by its own decision (memtables, caches, filters) has a
 * fixed share there. What others make it hold for a while (requests, answers, messages between
 * nodes) is taken from one of two {@link dev.colonnade.server.memory.MemoryPool}s: asked for before
 * it is allocated, refused when it does not fit, and given back when it is done with. Within a pool
 * each connection and each peer has a {@link dev.colonnade.server.memory.MemoryPool.Share}, whose
 * limit shrinks as the pool fills up, so that those who take much leave room for those who take
 * little.
 *
 * <p>Everything here is thread-safe and nothing waits. What may not enter: knowledge of what the
 * bytes are.
 */
@NullMarked
package dev.colonnade.server.memory;

import org.jspecify.annotations.NullMarked;
