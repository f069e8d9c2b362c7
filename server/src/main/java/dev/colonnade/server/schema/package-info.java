/**
 * What keyspaces and column families there are, and the rules by which that changes.
 *
 * <p>A {@link dev.colonnade.server.schema.Schema} is an immutable snapshot. Underneath it is rows
 * of cells, one row for each keyspace in the family {@code system.Schema}, merged by the same rule
 * as all data: every change is a {@link dev.colonnade.server.schema.SchemaRow}, and a snapshot is
 * always made from merged rows, never patched beside them. So changes made at once on two nodes
 * converge, and what a node reads back after a restart is what it had.
 *
 * <p>Clients and configuration files speak in definitions ({@link
 * dev.colonnade.server.schema.KeyspaceDefinition}, {@link
 * dev.colonnade.server.schema.FamilyDefinition}): what was said, and nothing for what was left out.
 * Defaults are filled in when a snapshot is made.
 *
 * <p>What may not enter: I/O, threads, wire formats, the ring.
 */
@NullMarked
package dev.colonnade.server.schema;

import org.jspecify.annotations.NullMarked;
