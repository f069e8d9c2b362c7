/**
 * Tools that keep a part of the node from being held for ever when something is thrown: claims that
 * are released in one place, continuations whose failures are reported, loops that run on one
 * thread at a time, bounded parallelism, and the meaning of an {@link java.lang.Error} for the
 * process.
 *
 * <p>The rule that these serve: whatever is thrown, an {@code Error} included, every claim is
 * released, every future that a caller holds completes, and nothing that was thrown is lost. The
 * table in {@code docs/reliability.md}, section "What a fault takes", says what each fault affects.
 *
 * <p>Not allowed here: threads, timers, anything of a store or a cluster.
 */
@NullMarked
package dev.colonnade.server.base.async;

import org.jspecify.annotations.NullMarked;
