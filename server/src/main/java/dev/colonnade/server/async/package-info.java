/**
 * What keeps a part of the node from being claimed for ever when something is thrown: claims that
 * are given back in one place, continuations whose failure is heard, loops that one thread at a
 * time runs, and what an {@link java.lang.Error} means for the process.
 *
 * <p>The rule that these serve: whatever is thrown, an {@code Error} included, every claim is given
 * back, every future that a caller holds completes, and nothing that was thrown is lost. Who may be
 * hit by what is a table in {@code docs/reliability.md}, section "What a fault takes".
 *
 * <p>What may not enter: threads, timers, anything of a store or a cluster.
 */
@NullMarked
package dev.colonnade.server.async;

import org.jspecify.annotations.NullMarked;
