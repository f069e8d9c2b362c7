/**
 * The node. Each package under this one has its own purpose; {@code docs/architecture.md} has the
 * map, and {@code ArchitectureTest} enforces which package may import which. This package itself
 * stays empty: nothing belongs to all packages.
 */
@NullMarked
package dev.colonnade.server;

import org.jspecify.annotations.NullMarked;
