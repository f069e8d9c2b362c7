/**
 * Reads, checks and writes the data files of a node that does not run, or a directory of data
 * files, as a library: no sockets, no threads, no running node.
 *
 * <p>{@link dev.colonnade.server.node.offline.DataDirectory} opens a directory, with the lock of
 * the node if it is a node's, and lists its families and their files. {@link
 * dev.colonnade.server.node.offline.FamilyRows} reads the rows of a family's files merged, {@link
 * dev.colonnade.server.node.offline.DataFileImport} writes rows into a new file, in one step, and
 * {@link dev.colonnade.server.node.offline.DataFileScrub} writes what is sound of a damaged one.
 * Memory is bounded, however wide a row is. The offline tools of the command line are made of it.
 *
 * <p>Everything here blocks and is for one thread. No running node uses this package.
 */
@NullMarked
package dev.colonnade.server.node.offline;

import org.jspecify.annotations.NullMarked;
