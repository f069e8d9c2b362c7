package dev.colonnade.server.net;

import dev.colonnade.server.metrics.LatencySnapshot;

/**
 * How the messages of one verb fared since the node was started.
 *
 * @param sent requests and one-way messages handed to the transport
 * @param received requests and one-way messages of other nodes that reached their handler
 * @param dropped messages of either direction that went nowhere: the queue to the peer was full,
 *     their time was up, they were meant for another node, or answered nothing that is waited for
 * @param timedOut requests that were given up at their deadline
 * @param cancelled requests of other nodes that were called off while they were handled
 * @param failed requests that were answered with a failure
 * @param latency from sending a request to its answer, failures included
 */
public record VerbFigures(
    Verb verb,
    long sent,
    long received,
    long dropped,
    long timedOut,
    long cancelled,
    long failed,
    LatencySnapshot latency) {}
