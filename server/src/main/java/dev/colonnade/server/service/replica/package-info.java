/**
 * The replica's side of a request: what a node does for another node's coordinator, and the
 * messages for it.
 *
 * <p>Reads are answered as fragments, deletions included, or as their digest, in parts of bounded
 * size; writes go to the engine. A request that names a family which this node does not know yet is
 * refused, so that its sender tries again.
 */
@NullMarked
package dev.colonnade.server.service.replica;

import org.jspecify.annotations.NullMarked;
