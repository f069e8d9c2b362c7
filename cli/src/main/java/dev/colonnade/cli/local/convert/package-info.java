/** Reads configurations of releases of Cassandra whose files the node itself does not read. */
@NullMarked
package dev.colonnade.cli.local.convert;

import org.jspecify.annotations.NullMarked;
