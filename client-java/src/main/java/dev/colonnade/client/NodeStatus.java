package dev.colonnade.client;

import java.time.Duration;

/**
 * A node's status.
 *
 * @param node the node as it sees itself
 * @param uptime how long it has been running
 * @param heapUsedBytes on the Java heap
 * @param offHeapUsedBytes outside of the Java heap, as far as they are counted
 */
public record NodeStatus(
    RingNode node, Duration uptime, long heapUsedBytes, long offHeapUsedBytes) {}
