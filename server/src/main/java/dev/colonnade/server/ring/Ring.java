package dev.colonnade.server.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which node has which tokens, at one moment. Never empty.
 *
 * <p>Immutable: a change of membership makes another ring.
 */
public final class Ring {

  /** Never compared as a whole, so that the array's identity does not matter. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Place(byte[] token, RingNode node) {}

  private final List<RingNode> nodes;
  private final List<Place> places;

  private Ring(List<RingNode> nodes, List<Place> places) {
    this.nodes = nodes;
    this.places = places;
  }

  /**
   * The ring of these nodes.
   *
   * @throws IllegalArgumentException if there are none, or two share an id or a token
   */
  public static Ring of(List<RingNode> nodes) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("a ring has at least one node");
    }
    Set<String> ids = new HashSet<>();
    List<Place> places = new ArrayList<>();
    for (RingNode node : nodes) {
      if (!ids.add(node.id())) {
        throw new IllegalArgumentException("two nodes have the id " + node.id());
      }
      for (byte[] token : node.tokens()) {
        places.add(new Place(token, node));
      }
    }
    places.sort((a, b) -> Arrays.compareUnsigned(a.token(), b.token()));
    for (int i = 1; i < places.size(); i++) {
      if (Arrays.equals(places.get(i - 1).token(), places.get(i).token())) {
        throw new IllegalArgumentException(
            "nodes "
                + places.get(i - 1).node().id()
                + " and "
                + places.get(i).node().id()
                + " have the same token");
      }
    }
    return new Ring(List.copyOf(nodes), List.copyOf(places));
  }

  /** All nodes, in the order in which they were given. */
  public List<RingNode> nodes() {
    return nodes;
  }

  /** The node that owns the token: the first whose own token is not before it. */
  public RingNode primaryFor(byte[] token) {
    return places.get(placeOf(token)).node();
  }

  /** The range that the token lies in, from one node's token to the next one's. */
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

  /** Every node once, in the order in which a walk clockwise from the token meets them. */
  public List<RingNode> clockwiseFrom(byte[] token) {
    List<RingNode> met = new ArrayList<>(nodes.size());
    Set<String> seen = new HashSet<>();
    int first = placeOf(token);
    for (int i = 0; i < places.size() && met.size() < nodes.size(); i++) {
      RingNode node = places.get((first + i) % places.size()).node();
      if (seen.add(node.id())) {
        met.add(node);
      }
    }
    return met;
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
