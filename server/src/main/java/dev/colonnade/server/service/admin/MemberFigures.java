package dev.colonnade.server.service.admin;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What this node knows of another node, or of itself.
 *
 * @param address where other nodes reach it
 * @param generation increases with each of its starts; 0 if not known
 * @param version increases with each heartbeat and each change since that start
 * @param states the application states that it gossips, by name
 * @param departed whether it has left the cluster and is remembered for a while
 * @param phi the suspicion of the failure detector: 0 is none; infinite if never heard from
 * @param loadBytes of its data files, as last gossiped; 0 if not known
 * @param schemaVersion its schema version; empty if not known
 */
public record MemberFigures(
    String nodeId,
    String address,
    int peerPort,
    long generation,
    long version,
    SortedMap<String, String> states,
    Liveness liveness,
    boolean departed,
    double phi,
    long loadBytes,
    String schemaVersion) {

  /** Whether a node is believed to be up. */
  public enum Liveness {
    /** Heartbeats arrive. */
    UP,
    /** Heartbeats are late; it still gets requests. */
    SUSPECT,
    /** Considered dead until it is heard from again. */
    DOWN
  }

  /** Copies the states. */
  public MemberFigures {
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
  }
}
