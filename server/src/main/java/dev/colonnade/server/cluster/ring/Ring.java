package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of each node, at one moment. Never empty.
 *
 * <p>Immutable: a change of membership makes another ring.
 */
public final class Ring {

  /** Never compared as a whole, so that the array's identity does not matter. */
  @SuppressWarnings("ArrayRecordComponent")
  private record TokenOwner(byte[] token, int node) {}

  private final List<RingNode> nodes;
  private final List<TokenOwner> places;
  private final Map<String, Set<String>> racksByDatacenter = new HashMap<>();

  private Ring(List<RingNode> nodes, List<TokenOwner> places) {
    this.nodes = nodes;
    this.places = places;
    for (RingNode node : nodes) {
      racksByDatacenter
          .computeIfAbsent(node.datacenter(), none -> new HashSet<>())
          .add(node.rack());
    }
  }

  /**
   * Returns the ring of these nodes.
   *
   * @throws IllegalArgumentException if there are none, or two share an id or a token
   */
  public static Ring of(List<RingNode> nodes) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("a ring has at least one node");
    }
    Set<String> ids = new HashSet<>();
    List<TokenOwner> places = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      RingNode node = nodes.get(i);
      if (!ids.add(node.id())) {
        throw new IllegalArgumentException("two nodes have the id " + node.id());
      }
      for (byte[] token : node.tokens()) {
        places.add(new TokenOwner(token, i));
      }
    }
    places.sort((a, b) -> Arrays.compareUnsigned(a.token(), b.token()));
    for (int i = 1; i < places.size(); i++) {
      if (Arrays.equals(places.get(i - 1).token(), places.get(i).token())) {
        throw new IllegalArgumentException(
            "nodes "
                + nodes.get(places.get(i - 1).node()).id()
                + " and "
                + nodes.get(places.get(i).node()).id()
                + " have the same token");
      }
    }
    return new Ring(List.copyOf(nodes), List.copyOf(places));
  }

  /** All nodes, in the order in which they were given. */
  public List<RingNode> nodes() {
    return nodes;
  }

  /** Whether this is the ring of exactly these nodes, in this order, with these tokens. */
  boolean isOf(List<RingNode> others) {
    if (others.size() != nodes.size()) {
      return false;
    }
    for (int i = 0; i < nodes.size(); i++) {
      if (!nodes.get(i).isTheSameAs(others.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the node that owns the token: the first whose own token is not before it. */
  public RingNode primaryFor(byte[] token) {
    return nodes.get(places.get(placeOf(token)).node());
  }

  /** Returns the range that the token lies in, from one node's token to the next one's. */
  public TokenRange rangeOf(byte[] token) {
    return rangeAt(placeOf(token));
  }

  /** All ranges in token order, the one that wraps around first; together they are everything. */
  public List<TokenRange> ranges() {
    List<TokenRange> ranges = new ArrayList<>(places.size());
    for (int i = 0; i < places.size(); i++) {
      ranges.add(rangeAt(i));
    }
    return ranges;
  }

  /** The tokens of all nodes, ascending. */
  byte[][] tokens() {
    byte[][] tokens = new byte[places.size()][];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = places.get(i).token();
    }
    return tokens;
  }

  /** The names of a data centre's racks; empty if it has no nodes. */
  Set<String> racksOf(String datacenter) {
    return racksByDatacenter.getOrDefault(datacenter, Set.of());
  }

  /** Whether all nodes are in one data centre. */
  boolean hasOneDatacenter() {
    return racksByDatacenter.size() == 1;
  }

  /** Begins a lazy walk clockwise from the token. */
  RingWalk walkFrom(byte[] token) {
    return new RingWalk(placeOf(token));
  }

  /** Visits every node once. For one thread. */
  final class RingWalk {
    private final BitSet met = new BitSet(nodes.size());
    private final int first;
    private int passed;
    private int nodesMet;

    private RingWalk(int first) {
      this.first = first;
    }

    /** The next node that was not visited yet; null if all were. */
    @Nullable RingNode next() {
      while (nodesMet < nodes.size() && passed < places.size()) {
        int at = first + passed++;
        int node = places.get(at < places.size() ? at : at - places.size()).node();
        if (!met.get(node)) {
          met.set(node);
          nodesMet++;
          return nodes.get(node);
        }
      }
      return null;
    }

    /** How many tokens were passed: the cost of the walk so far. */
    int passed() {
      return passed;
    }
  }

  private TokenRange rangeAt(int place) {
    int before = place == 0 ? places.size() - 1 : place - 1;
    return new TokenRange(places.get(before).token(), places.get(place).token());
  }

  private int placeOf(byte[] token) {
    int low = 0;
    int high = places.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Arrays.compareUnsigned(places.get(middle).token(), token) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == places.size() ? 0 : low;
  }
}
