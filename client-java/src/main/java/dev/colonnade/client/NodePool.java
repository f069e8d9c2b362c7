package dev.colonnade.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a client knows, and which of them gets a call.
 *
 * <ul>
 *   <li>At first the contact points are all that is known. Once the ring is, its nodes are used,
 *       and contact points only when none of those answers.
 *   <li>Of two nodes that are equally good, the one with fewer calls in progress gets the call: a
 *       node that is slow or stands still thereby gets few (the "power of two choices").
 *   <li>A node that failed just now, that its connection does not reach, or that the ring reports
 *       as down, gets calls only if all others are like that.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class NodePool {

  private static final long CLOSE_SECONDS = 5;

  /** How good a node is for a call; the first is the best. */
  private enum Rank {
    /** Known, sound, and in the preferred data centre if there is one. */
    NEAR,
    /** Known, sound, in another data centre. */
    FAR,
    /** A contact point that the ring does not name: nothing is known of it. */
    CONTACT,
    /** It probably does not answer. */
    DOUBTFUL,
    /** The call has been there before. */
    TRIED
  }

  private final Function<String, NodeConnection> connector;
  private final List<NodeConnection> contacts;
  private final @Nullable String datacenter;

  private volatile List<NodeConnection> nodes;
  private volatile Runnable onChange = () -> {};

  /** Guarded by this object's monitor. */
  private boolean closed;

  /**
   * A pool of contact points.
   *
   * @param datacenter whose nodes are preferred, if any
   * @throws IllegalArgumentException without a contact point
   */
  NodePool(
      Function<String, NodeConnection> connector,
      Collection<String> contactPoints,
      Optional<String> datacenter) {
    if (contactPoints.isEmpty()) {
      throw new IllegalArgumentException("a client needs at least one contact point");
    }
    this.connector = connector;
    this.contacts = contactPoints.stream().distinct().map(connector).toList();
    this.datacenter = datacenter.orElse(null);
    this.nodes = contacts;
  }

  /** A pool of one node, which is closed by the pool that it is from. */
  NodePool(NodeConnection node) {
    this.connector = target -> node;
    this.contacts = List.of(node);
    this.datacenter = null;
    this.nodes = contacts;
  }

  /** The first contact point. */
  NodeConnection first() {
    return contacts.get(0);
  }

  /** Whether there is more than one node to choose from. */
  boolean hasChoice() {
    return nodes.size() > 1;
  }

  /** All nodes that may get calls. */
  List<NodeConnection> nodes() {
    return nodes;
  }

  /**
   * The node for a call.
   *
   * @param tried where the call failed before; chosen again only if there is no other
   */
  NodeConnection pick(Collection<NodeConnection> tried) {
    List<NodeConnection> all = nodes;
    return all.size() == 1 ? all.get(0) : better(all, tried);
  }

  /**
   * The node for a call on a row.
   *
   * @param replicas the nodes that hold the row; one of them is chosen if it is as good as any
   */
  NodeConnection pick(Collection<NodeConnection> tried, List<NodeConnection> replicas) {
    if (!replicas.isEmpty()) {
      NodeConnection replica = better(replicas, tried);
      if (rank(replica, tried) == Rank.NEAR) {
        return replica;
      }
    }
    return pick(tried);
  }

  /**
   * The node for a call that some nodes answer best.
   *
   * @param tried where it failed before; chosen again only if there is no other
   * @param preferred of which the first that is sound is chosen
   */
  NodeConnection pickInOrder(Collection<NodeConnection> tried, List<Endpoint> preferred) {
    for (Endpoint endpoint : preferred) {
      NodeConnection node = connectionTo(endpoint);
      if (node != null && rank(node, tried).compareTo(Rank.DOUBTFUL) < 0) {
        return node;
      }
    }
    return pick(tried);
  }

  /**
   * Another node for a call that is under way on one.
   *
   * @param replicas the nodes that hold the row
   * @return null if no other is sound
   */
  @Nullable NodeConnection another(NodeConnection than, List<NodeConnection> replicas) {
    List<NodeConnection> tried = List.of(than);
    NodeConnection node = pick(tried, replicas);
    return rank(node, tried).compareTo(Rank.DOUBTFUL) < 0 ? node : null;
  }

  private NodeConnection better(List<NodeConnection> all, Collection<NodeConnection> tried) {
    int count = all.size();
    int start = ThreadLocalRandom.current().nextInt(count);
    NodeConnection best = null;
    Rank bestRank = Rank.TRIED;
    boolean hasTwo = false;
    for (int i = 0; i < count; i++) {
      NodeConnection node = all.get((start + i) % count);
      Rank rank = rank(node, tried);
      if (best == null || rank.compareTo(bestRank) < 0) {
        best = node;
        bestRank = rank;
        hasTwo = false;
      } else if (rank == bestRank && !hasTwo) {
        hasTwo = true;
        best = node.inFlight().get() < best.inFlight().get() ? node : best;
      }
      if (hasTwo && bestRank == Rank.NEAR) {
        break;
      }
    }
    return best == null ? first() : best;
  }

  private Rank rank(NodeConnection node, Collection<NodeConnection> tried) {
    if (tried.contains(node)) {
      return Rank.TRIED;
    }
    if (node.isDoubtful()) {
      return Rank.DOUBTFUL;
    }
    RingNode known = node.known();
    if (known == null) {
      return Rank.CONTACT;
    }
    return datacenter == null || known.endpoint().datacenter().equals(datacenter)
        ? Rank.NEAR
        : Rank.FAR;
  }

  /**
   * Takes over the nodes of the ring. Those that are new are connected by their first call; those
   * that are gone get no more calls, and end the ones they have.
   */
  void ringIs(Collection<RingNode> ring) {
    if (takeOver(ring)) {
      onChange.run();
    }
  }

  /** Runs something when the nodes of the ring, or their tokens, have changed. */
  void onChange(Runnable action) {
    onChange = action;
  }

  /** The connection to a node of the ring; null if there is none. */
  @Nullable NodeConnection connectionTo(Endpoint endpoint) {
    String target = endpoint.target();
    for (NodeConnection node : nodes) {
      if (node.target().equals(target)) {
        return node;
      }
    }
    return null;
  }

  /** Whether anything has changed but how the nodes are. */
  private synchronized boolean takeOver(Collection<RingNode> ring) {
    Map<String, RingNode> wanted = new LinkedHashMap<>();
    for (RingNode node : ring) {
      boolean serves =
          switch (node.state()) {
            case NORMAL, LEAVING, MOVING -> true;
            case JOINING, LEFT, UNKNOWN -> false;
          };
      if (serves && !node.endpoint().address().isEmpty() && node.endpoint().clientPort() > 0) {
        wanted.put(node.endpoint().target(), node);
      }
    }
    if (closed || wanted.isEmpty()) {
      return false;
    }
    Map<String, NodeConnection> present = new LinkedHashMap<>();
    contacts.forEach(contact -> present.put(contact.target(), contact));
    nodes.forEach(node -> present.put(node.target(), node));
    List<NodeConnection> next = new ArrayList<>();
    boolean changed = false;
    for (Map.Entry<String, RingNode> each : wanted.entrySet()) {
      NodeConnection connection = present.remove(each.getKey());
      if (connection == null) {
        connection = connector.apply(each.getKey());
      }
      RingNode before = connection.known();
      changed |= before == null || !before.tokens().equals(each.getValue().tokens());
      connection.isKnownAs(each.getValue());
      next.add(connection);
    }
    for (NodeConnection contact : contacts) {
      if (present.remove(contact.target()) != null) {
        contact.isKnownAs(null);
        next.add(contact);
      }
    }
    changed |= !present.isEmpty();
    nodes = List.copyOf(next);
    present.values().forEach(NodeConnection::retire);
    return changed;
  }

  /** Lets calls in progress finish, for five seconds at most, and then ends them. */
  void close() {
    List<NodeConnection> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(nodes);
      contacts.stream().filter(contact -> !all.contains(contact)).forEach(all::add);
    }
    all.forEach(NodeConnection::retire);
    long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    all.forEach(node -> node.end(untilNanos));
  }
}
