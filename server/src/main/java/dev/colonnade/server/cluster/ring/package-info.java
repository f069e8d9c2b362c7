/**
 * Ownership of data: tokens, partitioners, the ring as an immutable snapshot, and the placement of
 * replicas.
 *
 * <p>A {@link dev.colonnade.server.cluster.ring.Partitioner} turns a key into a token, a byte
 * string that is compared unsigned. A {@link dev.colonnade.server.cluster.ring.Ring} gives each
 * node its tokens; the node with token T owns the range from the token before (exclusive) to T
 * (inclusive), and the lowest token's node also owns what lies after the highest. A {@link
 * dev.colonnade.server.cluster.ring.ReplicaPlacement} walks the ring from a key's owner and picks
 * the nodes that hold copies. All of it is pure: snapshot in, decision out.
 *
 * <p>Not allowed here: liveness, messages, storage. The scheme follows Dynamo (SOSP 2007, section
 * 4.2) and the first Cassandra (LADIS 2009, sections 5.1 and 5.2).
 */
@NullMarked
package dev.colonnade.server.cluster.ring;

import org.jspecify.annotations.NullMarked;
