/**
 * Keyspaces and column families, and the rules by which they change.
 *
 * <p>A {@link dev.colonnade.server.base.schema.Schema} is an immutable snapshot. It is stored as
 * rows of cells, one row for each keyspace in the family {@code system.Schema}, merged by the same
 * rule as all data: every change is a {@link dev.colonnade.server.base.schema.SchemaRow}, and a
 * snapshot is always built from merged rows, never patched beside them. So concurrent changes on
 * two nodes converge, and a restarted node reads back what it had.
 *
 * <p>Clients and configuration files use definitions ({@link
 * dev.colonnade.server.base.schema.KeyspaceDefinition}, {@link
 * dev.colonnade.server.base.schema.FamilyDefinition}): what was given, and nothing for what was
 * left out. Defaults are added when a snapshot is built.
 *
 * <p>Not allowed here: I/O, threads, wire formats, the ring.
 */
@NullMarked
package dev.colonnade.server.base.schema;

import org.jspecify.annotations.NullMarked;
