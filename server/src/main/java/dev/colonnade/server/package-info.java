/**
 * The node. Each package under this one is a room with its own purpose; {@code
 * docs/architecture.md} has the map and {@code ArchitectureTest} holds who may import whom. This
 * package itself stays empty: nothing belongs to all rooms.
 */
@NullMarked
package dev.colonnade.server;

import org.jspecify.annotations.NullMarked;
