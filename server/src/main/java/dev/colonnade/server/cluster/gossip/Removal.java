package dev.colonnade.server.cluster.gossip;

/**
 * That a node is to be removed for good, as members agree to it.
 *
 * @param nodeId of the node
 * @param generation the last of its starts that is known, 0 for none; the agreement ends when it
 *     starts again
 * @param decidedMillis when the removal was asked for, in milliseconds since 1970
 * @param expiryMillis when all may forget the node, in milliseconds since 1970
 */
public record Removal(String nodeId, long generation, long decidedMillis, long expiryMillis) {}
