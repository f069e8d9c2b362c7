package dev.colonnade.server.coordinator;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What this node has heard of another one, or knows of itself.
 *
 * @param address where other nodes reach it
 * @param generation greater with each of its starts; 0 while that is not known
 * @param version greater with each heartbeat and each change since that start
 * @param states what it tells of itself, by name
 * @param departed whether it has left the cluster for good, and is remembered for a while
 * @param phi the suspicion of the failure detector: 0 is none; infinite for one never heard
 * @param loadBytes of its data files, as it last told; 0 while that is not known
 * @param schemaVersion that it knows; empty while that is not known
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
    /** It is heard from. */
    UP,
    /** It is late, and still asked. */
    SUSPECT,
    /** It is taken for dead until it is heard again. */
    DOWN
  }

  /** Copies the states. */
  public MemberFigures {
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
  }
}
