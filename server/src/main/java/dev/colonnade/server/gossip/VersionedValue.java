package dev.colonnade.server.gossip;

/**
 * Something that a node said of itself.
 *
 * @param key number of an {@link ApplicationState}, or of one of a newer version
 * @param version the node's own count when it said so
 */
record VersionedValue(int key, long version, String value) {}
