/**
 * Snapshots of the live data files: directories of hard links, each with a manifest that lists
 * every file with its checksum, the schema, and where in the ring the node was.
 *
 * <p>This package knows the layout on disk: how a snapshot is written so that a crash leaves a
 * whole one or none, how it is listed, verified and deleted. When the files are held still is the
 * engine's business.
 */
@NullMarked
package dev.colonnade.server.storage.snapshot;

import org.jspecify.annotations.NullMarked;
