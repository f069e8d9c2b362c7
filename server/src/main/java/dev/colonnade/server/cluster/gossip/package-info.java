/**
 * Which nodes are in the cluster, which of them are alive, and what each announces about itself.
 *
 * <p>A {@link dev.colonnade.server.cluster.gossip.Gossiper} keeps what it knows of each node: a
 * generation, which grows with each start; a heartbeat, which grows with each round; and
 * application states, each with the version under which the node announced it. Once a second it
 * sends digests of what it knows to another node; that node answers with what is news to the first
 * and requests what is news to itself; the first sends that. These are three one-way messages, any
 * of which may be lost, duplicated or late: what is merged never goes back ({@link
 * dev.colonnade.server.cluster.gossip.EndpointStateMap} has the rules). The messages are those of
 * {@code internode.proto}.
 *
 * <p>Heartbeats, also those received at second hand, feed the failure detector. Its verdicts and
 * all that is known are published as immutable {@link dev.colonnade.server.cluster.gossip.Members},
 * from which {@link dev.colonnade.server.cluster.gossip.LiveTopology} builds the ring.
 *
 * <p>Two ids with one hash would be taken for one node. Among ten thousand random ids that happens
 * once in 10^11 clusters; the second of them is refused with a message that says so.
 *
 * <p>A node is identified by its id. Addresses are values that a node announces: it may come back
 * under another one, and another node may come to listen at its old one.
 *
 * <p>Rounds and messages run on {@link dev.colonnade.server.base.env.Stage#GOSSIP}, one task at a
 * time, and wait for nothing; listeners are called on {@link
 * dev.colonnade.server.base.env.Stage#CONTROL}; what is published may be read from any thread. Not
 * allowed here: requests for data, files.
 *
 * <p>After the first Cassandra (LADIS 2009, section 5.3) and van Renesse, Dumitriu, Gough and
 * Thomas, "Efficient Reconciliation and Flow Control for Anti-Entropy Protocols" (2008). Deliberate
 * differences: digests carry a hash of the id; a node known only at second hand is considered up
 * when its heartbeat has been seen to grow, not before; that a node has left for good wins over any
 * generation of it.
 */
@NullMarked
package dev.colonnade.server.cluster.gossip;

import org.jspecify.annotations.NullMarked;
