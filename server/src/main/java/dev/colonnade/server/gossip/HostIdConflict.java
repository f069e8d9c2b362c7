package dev.colonnade.server.gossip;

/**
 * Others know this node's id as somebody else: another process runs with a copy of its identity, or
 * the node was declared to be gone. Whoever hears of it should stop the node.
 *
 * @param removed whether the id was removed from the cluster or has left it
 * @param generation of the other one
 * @param address where the other one listens; this node's own where the id was removed
 * @param message what happened and what to do
 */
public record HostIdConflict(boolean removed, long generation, String address, String message) {}
