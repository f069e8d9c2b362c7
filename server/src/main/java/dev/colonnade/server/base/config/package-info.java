/**
 * Settings: each is declared once, as a constant of type {@link
 * dev.colonnade.server.base.config.Setting}, with its unit, bounds, default and the reason for it,
 * element and option. The parsers of files and options, help and docs/settings.md follow from that.
 *
 * <p>A node is built from {@link dev.colonnade.server.base.config.NodeSettings}, the values of all
 * settings. {@link dev.colonnade.server.base.config.StorageConf} fills it, and a list of keyspaces,
 * from a configuration file of Cassandra 0.6, and reports what became of every element.
 *
 * <p>Not allowed here: reading files, the environment or the command line; the code that starts the
 * node does that.
 */
@NullMarked
package dev.colonnade.server.base.config;

import org.jspecify.annotations.NullMarked;
