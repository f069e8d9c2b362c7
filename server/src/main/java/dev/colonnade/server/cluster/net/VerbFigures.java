package dev.colonnade.server.cluster.net;

/**
 * Counts of one verb's messages since the node started.
 *
 * @param sent requests and one-way messages handed to the transport
 * @param received requests and one-way messages of other nodes that reached their handler
 * @param dropped messages of either direction that were discarded: the queue to the peer was full,
 *     their time was up, they were meant for another node, or they answered no pending request
 * @param timedOut requests that failed at their deadline
 * @param cancelled other nodes' requests that were cancelled while they were handled
 * @param failed requests that were answered with a failure
 * @param answered requests that were answered, failures included
 * @param meanMicros the mean time from sending a request to its answer; 0 without answers
 */
public record VerbFigures(
    Verb verb,
    long sent,
    long received,
    long dropped,
    long timedOut,
    long cancelled,
    long failed,
    long answered,
    double meanMicros) {}
