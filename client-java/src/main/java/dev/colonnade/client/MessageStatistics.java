package dev.colonnade.client;

import dev.colonnade.admin.v1.MessageStats;

/**
 * How the messages of one kind between a node and the others fared, since it started.
 *
 * @param verb what they ask for
 * @param sent handed to the network
 * @param received of other nodes
 * @param dropped of either direction, that were not delivered
 * @param timedOut that got no answer in time
 * @param cancelled of other nodes, cancelled while they were handled
 * @param failed answered with a failure
 * @param latencyMicros mean time from sending one to its answer
 */
public record MessageStatistics(
    String verb,
    long sent,
    long received,
    long dropped,
    long timedOut,
    long cancelled,
    long failed,
    double latencyMicros) {

  static MessageStatistics of(MessageStats message) {
    return new MessageStatistics(
        message.getVerb(),
        message.getSent(),
        message.getReceived(),
        message.getDropped(),
        message.getTimedOut(),
        message.getCancelled(),
        message.getFailed(),
        message.getLatencyMicros());
  }
}
