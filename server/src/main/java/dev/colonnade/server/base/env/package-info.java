/**
 * The interfaces to the outside world: all nondeterminism of a node comes in through this package.
 *
 * <p>A node is a deterministic function of its inputs. Time, threads, randomness, files and the
 * off-heap key index are passed to it as an {@link dev.colonnade.server.base.env.Environment};
 * nothing outside {@code node.platform} asks the JVM for them. In production the adapters supply
 * the real ones, in simulation they are driven from one seed.
 *
 * <p>Not allowed here: implementations, and anything that knows what is stored.
 */
@NullMarked
package dev.colonnade.server.base.env;

import org.jspecify.annotations.NullMarked;
