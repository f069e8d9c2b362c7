package dev.colonnade.server.service.consistency;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that took part in a call, by their ids. Immutable.
 *
 * @param asked every node that was sent a part of the call, spare replicas and the coordinator
 *     itself included; sorted
 * @param answered the nodes of these that had answered when the result was decided; sorted
 */
public record AskedReplicas(List<String> asked, List<String> answered) {

  /** No node has been asked. */
  public static final AskedReplicas NONE = new AskedReplicas(List.of(), List.of());

  /** Sorts both lists and removes duplicates. */
  public AskedReplicas {
    asked = sorted(asked);
    answered = sorted(answered);
  }

  /** A call that one node was asked and answered. */
  public static AskedReplicas only(String nodeId) {
    List<String> one = List.of(nodeId);
    return new AskedReplicas(one, one);
  }

  /** The nodes of both calls. */
  public AskedReplicas plus(AskedReplicas other) {
    // Most calls use the same few nodes from row to row and from page to page.
    if (covers(other)) {
      return this;
    }
    return other.covers(this)
        ? other
        : new AskedReplicas(joined(asked, other.asked), joined(answered, other.answered));
  }

  private boolean covers(AskedReplicas other) {
    return asked.containsAll(other.asked) && answered.containsAll(other.answered);
  }

  private static List<String> joined(List<String> one, List<String> other) {
    Set<String> all = new TreeSet<>(one);
    all.addAll(other);
    return List.copyOf(all);
  }

  private static List<String> sorted(List<String> ids) {
    return ids.size() < 2 ? List.copyOf(ids) : List.copyOf(new TreeSet<>(ids));
  }
}
