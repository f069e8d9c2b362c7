/**
 * Settings: immutable, checked, with units in their names or types, a default for each and the
 * reason for it.
 *
 * <p>{@link dev.colonnade.server.config.NodeSettings} is what a node is built from. {@link
 * dev.colonnade.server.config.StorageConf} fills it, and a list of keyspaces, from a file of the
 * kind that Cassandra 0.6 was configured with, and says of every element what became of it.
 *
 * <p>What may not enter: reading files, the environment or the command line; that is for whoever
 * starts the node.
 */
@NullMarked
package dev.colonnade.server.config;

import org.jspecify.annotations.NullMarked;
