package dev.colonnade.server.cluster.gossip;

/**
 * A value that a node announces about itself.
 *
 * @param key number of an {@link ApplicationState}, or of one of a newer version
 * @param version the node's own counter when it announced the value
 */
record VersionedValue(int key, long version, String value) {}
