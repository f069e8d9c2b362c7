package dev.colonnade.server.failure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which nodes are held to be up. A node is up from its first heartbeat, down when {@link #check}
 * finds its suspicion above the threshold, and up again with its next heartbeat.
 *
 * @param <K> identifies a node; with {@code equals} and {@code hashCode}
 */
public final class FailureDetector<K> {

  private static final int WINDOW = 1_000;

  /** Intervals up to so many times the expected one say something about a node that is up. */
  private static final int LONGEST_INTERVALS = 5;

  /** A check that comes so many times later than it should says that this node was asleep. */
  private static final int PAUSE_INTERVALS = 3;

  private final double threshold;
  private final long intervalNanos;
  private final Map<K, ArrivalWindow> windows = new LinkedHashMap<>();
  private final Set<K> down = new LinkedHashSet<>();
  private long lastCheckNanos;
  private boolean checked;

  /**
   * A detector that knows no node.
   *
   * @param threshold the suspicion above which a node is down; more than zero. 5 finds a dead node
   *     in about 11.5 intervals
   * @param interval at which nodes are expected to send heartbeats, and {@link #check} to be called
   */
  public FailureDetector(double threshold, Duration interval) {
    if (!(threshold > 0)) {
      throw new IllegalArgumentException(
          "a threshold of suspicion is above zero; got " + threshold);
    }
    this.threshold = threshold;
    this.intervalNanos = interval.toNanos();
  }

  /**
   * A heartbeat came from a node, and none was missed.
   *
   * @param nowNanos monotonic, as in all methods
   * @return whether it was down, or not known, and is up now
   */
  public boolean heard(K node, long nowNanos) {
    return heard(node, nowNanos, 1);
  }

  /**
   * A heartbeat came from a node.
   *
   * @param heartbeats that it sent since the last one that came here, at least 1: where news are
   *     passed on by others it is common that some are skipped, which says nothing of their sender
   * @return whether it was down, or not known, and is up now
   */
  public boolean heard(K node, long nowNanos, long heartbeats) {
    ArrivalWindow window = windows.get(node);
    if (window == null) {
      windows.put(
          node,
          new ArrivalWindow(nowNanos, WINDOW, intervalNanos, LONGEST_INTERVALS * intervalNanos));
      return true;
    }
    window.arrived(nowNanos, heartbeats);
    return down.remove(node);
  }

  /**
   * Nodes that were up and are down now. Call it once in an interval. Where the last call was much
   * longer ago, this node was asleep and could not hear anybody: then nobody is convicted, and all
   * get as much time as if they had been heard now.
   */
  public List<K> check(long nowNanos) {
    boolean asleep = checked && nowNanos - lastCheckNanos > PAUSE_INTERVALS * intervalNanos;
    checked = true;
    lastCheckNanos = nowNanos;
    List<K> convicted = new ArrayList<>();
    windows.forEach(
        (node, window) -> {
          if (down.contains(node)) {
            return;
          }
          if (asleep) {
            window.excuse(nowNanos);
          } else if (window.phi(nowNanos) > threshold) {
            convicted.add(node);
          }
        });
    down.addAll(convicted);
    return convicted;
  }

  /** Whether a node has been heard from and is not held to be down. */
  public boolean isUp(K node) {
    return windows.containsKey(node) && !down.contains(node);
  }

  /** The suspicion of a node, 0 or more; infinite for one that was never heard from. */
  public double phi(K node, long nowNanos) {
    ArrivalWindow window = windows.get(node);
    return window == null ? Double.POSITIVE_INFINITY : window.phi(nowNanos);
  }

  /** A node that says goodbye is down at once, until it is heard again. */
  public void convict(K node) {
    if (windows.containsKey(node)) {
      down.add(node);
    }
  }

  /** A node that left for good. */
  public void forget(K node) {
    windows.remove(node);
    down.remove(node);
  }
}
