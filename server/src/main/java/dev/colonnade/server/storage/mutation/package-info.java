/**
 * Mutations: the changes of one row that are made together, how they are encoded in the commit log,
 * in hints and in messages between nodes, and the reasons for which a store refuses one.
 *
 * <p>A mutation holds changes of one row in any number of column families, and is applied as a
 * whole. Equal mutations have equal bytes. The encoding is described in {@code MutationFormat.md};
 * lengths are checked before anything is allocated for them.
 *
 * <p>Hints and the coordinator know mutations without knowing the engine that applies them. Not
 * allowed here: input and output, and anything that knows how a store keeps what it applied.
 */
@NullMarked
package dev.colonnade.server.storage.mutation;

import org.jspecify.annotations.NullMarked;
