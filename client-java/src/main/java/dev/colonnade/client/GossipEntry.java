package dev.colonnade.client;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a node has heard of another one, or announces about itself.
 *
 * @param address where other nodes reach it
 * @param peerPort where other nodes reach it
 * @param generation greater with each of its starts
 * @param version greater with each heartbeat and each change since that start
 * @param states what it announces about itself, by name
 * @param phi the suspicion of the failure detector: 0 is none, and grows while nothing is heard;
 *     infinite for a node that was never heard
 */
public record GossipEntry(
    String nodeId,
    String address,
    int peerPort,
    long generation,
    long version,
    SortedMap<String, String> states,
    RingNode.Liveness liveness,
    double phi) {

  /** Keeps a copy of the states. */
  public GossipEntry {
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
  }

  static GossipEntry of(dev.colonnade.admin.v1.GossipEntry message) {
    return new GossipEntry(
        message.getNodeId(),
        message.getAddress(),
        message.getPeerPort(),
        message.getGeneration(),
        message.getVersion(),
        new TreeMap<>(message.getStateMap()),
        RingNode.Liveness.of(message.getLiveness()),
        message.getPhi());
  }
}
