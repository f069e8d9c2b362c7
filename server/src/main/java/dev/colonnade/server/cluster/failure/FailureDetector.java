package dev.colonnade.server.cluster.failure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which nodes are considered up. A node is up from its first heartbeat, down when {@link
 * #check} finds its suspicion above the threshold, and up again with its next heartbeat.
 *
 * @param <K> identifies a node; with {@code equals} and {@code hashCode}
 */
public final class FailureDetector<K> {

  private static final int WINDOW = 1_000;

  /**
   * Up to this multiple of the expected interval, an interval is taken for that of a node that is
   * up.
   */
  private static final int LONGEST_INTERVALS = 5;

  /** A check that is late by this multiple of the interval shows that this node was paused. */
  private static final int PAUSE_INTERVALS = 3;

  private double threshold;
  private final long intervalNanos;
  private final Map<K, ArrivalWindow> windows = new LinkedHashMap<>();
  private final Set<K> down = new LinkedHashSet<>();
  private long lastCheckNanos;
  private boolean checked;

  /**
   * Creates a detector that knows no node.
   *
   * @param threshold the suspicion above which a node is down; more than zero. 5 finds a dead node
   *     in about 11.5 intervals
   * @param interval at which nodes are expected to send heartbeats, and {@link #check} to be called
   */
  public FailureDetector(double threshold, Duration interval) {
    threshold(threshold);
    this.intervalNanos = interval.toNanos();
  }

  /** Changes the suspicion above which {@link #check} finds a node down; more than zero. */
  public void threshold(double changed) {
    if (!(changed > 0)) {
      throw new IllegalArgumentException("a threshold of suspicion is above zero; got " + changed);
    }
    threshold = changed;
  }

  /**
   * A heartbeat arrived from a node, and none was skipped.
   *
   * @param nowNanos monotonic, as in all methods
   * @return whether it was down, or not known, and is up now
   */
  public boolean heard(K node, long nowNanos) {
    return heard(node, nowNanos, 1);
  }

  /**
   * A heartbeat arrived from a node.
   *
   * @param heartbeats that it sent since the last one that arrived here, at least 1: where others
   *     pass news on, some are often skipped, which says nothing of their sender
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
   * Returns the nodes that were up and are down now. To be called once per interval. If the last
   * call was much longer ago, this node was paused and could not hear others: then no node is
   * marked as down, and all get as much time as if they had been heard now.
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

  /** Whether a node has been heard from and is not considered down. */
  public boolean isUp(K node) {
    return windows.containsKey(node) && !down.contains(node);
  }

  /** The suspicion of a node, 0 or more; infinite for one that was never heard from. */
  public double phi(K node, long nowNanos) {
    ArrivalWindow window = windows.get(node);
    return window == null ? Double.POSITIVE_INFINITY : window.phi(nowNanos);
  }

  /** Marks a node as down at once, because it announced its shutdown, until it is heard again. */
  public void convict(K node) {
    if (windows.containsKey(node)) {
      down.add(node);
    }
  }

  /** Forgets a node that left for good. */
  public void forget(K node) {
    windows.remove(node);
    down.remove(node);
  }
}
