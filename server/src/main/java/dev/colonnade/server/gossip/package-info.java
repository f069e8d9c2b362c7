/**
 * Who is in the cluster, who is alive, and what each node says of itself.
 *
 * <p>A {@link dev.colonnade.server.gossip.Gossiper} keeps what it knows of each node: a generation,
 * which grows with each start; a heartbeat, which grows with each round; and application states,
 * each with the version under which the node said it. Once a second it tells another node what it
 * knows, as digests; that one answers with what is news to the first and asks for what is news to
 * itself; the first sends that. Three one-way messages, any of which may be lost, doubled or late:
 * what is merged never goes back ({@link dev.colonnade.server.gossip.EndpointStateMap} has the
 * rules). The layout of the messages is in {@code GossipFormat.md}.
 *
 * <p>Heartbeats, also those that come by way of others, feed the failure detector. Its verdicts and
 * all that is known are published as immutable {@link dev.colonnade.server.gossip.Members}, of
 * which {@link dev.colonnade.server.gossip.LiveTopology} makes the ring.
 *
 * <p>A node is its id. Addresses are something that a node says of itself: it may come back under
 * another one, and another node may come to listen where it was.
 *
 * <p>Rounds and messages run on {@link dev.colonnade.server.env.Stage#GOSSIP}, one task at a time,
 * and wait for nothing; listeners are called on {@link dev.colonnade.server.env.Stage#CONTROL};
 * what is published may be read by anybody. What may not enter: requests for data, files.
 *
 * <p>After the first Cassandra (LADIS 2009, section 5.3) and van Renesse, Dumitriu, Gough and
 * Thomas, "Efficient Reconciliation and Flow Control for Anti-Entropy Protocols" (2008). Deliberate
 * differences: digests carry a hash of the id; a node that another one only speaks of is held to be
 * up when its heartbeat has been seen to grow, not before; that a node has left for good wins over
 * any generation of it.
 */
@NullMarked
package dev.colonnade.server.gossip;

import org.jspecify.annotations.NullMarked;
