/**
 * Settings: immutable, checked, with units in their names or types, a default for each and the
 * reason for it.
 *
 * <p>A node is built from {@link dev.colonnade.server.base.config.NodeSettings}. {@link
 * dev.colonnade.server.base.config.StorageConf} fills it, and a list of keyspaces, from a
 * configuration file of Cassandra 0.6, and reports what became of every element.
 *
 * <p>Not allowed here: reading files, the environment or the command line; the code that starts the
 * node does that.
 */
@NullMarked
package dev.colonnade.server.base.config;

import org.jspecify.annotations.NullMarked;
