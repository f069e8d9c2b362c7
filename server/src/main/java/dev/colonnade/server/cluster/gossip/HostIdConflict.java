package dev.colonnade.server.cluster.gossip;

/**
 * Others know this node's host id with another state: either another process runs with a copy of
 * its identity, or the node was declared to be gone. The receiver should stop the node.
 *
 * @param removed whether the id was removed from the cluster or has left it
 * @param generation of the other process
 * @param address where the other process listens; this node's own if the id was removed
 * @param message what happened and what to do
 */
public record HostIdConflict(boolean removed, long generation, String address, String message) {}
