/**
 * The interfaces to the outside world: all nondeterminism of a node comes in through this package.
 *
 * <p>A node is a deterministic function of its inputs. Time, threads, randomness, files and the
 * off-heap key index are passed to it as an {@link dev.colonnade.server.env.Environment}; nothing
 * outside {@code adapter} asks the JVM for them. In production the adapters supply the real ones,
 * in simulation they are driven from one seed.
 *
 * <p>Not allowed here: implementations, and anything that knows what is stored.
 */
@NullMarked
package dev.colonnade.server.env;

import org.jspecify.annotations.NullMarked;
