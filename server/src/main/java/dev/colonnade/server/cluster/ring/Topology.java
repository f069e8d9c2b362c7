package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.schema.Keyspace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The owners of all ranges, now and after the changes under way, and which nodes are alive, at one
 * moment and as one node sees it.
 *
 * <p>It holds two rings: {@link #ring} of the nodes that serve now, and {@link #future} as it will
 * be when all changes under way are done. A row's owners are those of the first; a node that owns
 * it only in the second is {@link #pending} and gets every write already, so that no write is lost
 * when the change is done.
 *
 * <p>Immutable.
 */
public final class Topology {

  /** The status of a node on the ring. */
  public enum RingState {
    /** Owns its tokens. */
    NORMAL,
    /** Fetches data for its tokens, and does not own them yet. */
    JOINING,
    /** Owns its tokens, and hands their data over. */
    LEAVING,
    /** Owns its tokens, and fetches data for others that will replace them. */
    MOVING
  }

  /**
   * A node and its status.
   *
   * @param node with the tokens that it owns, or of a joining one will own
   * @param newTokens of a moving node: those that will replace its own; of others none
   * @param alive whether the failure detector considers it up
   * @param impact how much of its service it has withdrawn
   */
  public record Place(
      RingNode node, RingState state, List<byte[]> newTokens, boolean alive, Impact impact) {

    /** A node that announces no trouble. */
    public Place(RingNode node, RingState state, List<byte[]> newTokens, boolean alive) {
      this(node, state, newTokens, alive, Impact.NONE);
    }

    /** Copies the list, and checks that it fits the state. */
    public Place {
      newTokens = List.copyOf(newTokens);
      if (newTokens.isEmpty() == (state == RingState.MOVING)) {
        throw new IllegalArgumentException(
            "a node has new tokens exactly when it moves; "
                + node.id()
                + " is "
                + state
                + " with "
                + newTokens.size());
      }
    }
  }

  private final RingNode self;
  private final Map<String, Place> places;
  private final PlacementTables tables;

  private Topology(RingNode self, Map<String, Place> places, PlacementTables tables) {
    this.self = self;
    this.places = places;
    this.tables = tables;
  }

  /**
   * Returns the topology of these nodes. If none of them serves, this node alone is the ring: the
   * first node of a cluster has to begin somewhere.
   *
   * @param self the node whose view it is; one of the places, unless it has none yet
   * @param places each node once; their order is kept
   * @throws IllegalArgumentException if two share an id, or a token on one of the two rings
   */
  public static Topology of(RingNode self, List<Place> places) {
    Map<String, Place> byId = new LinkedHashMap<>();
    List<RingNode> now = new ArrayList<>();
    List<RingNode> later = new ArrayList<>();
    for (Place place : places) {
      RingNode node = place.node();
      if (byId.put(node.id(), place) != null) {
        throw new IllegalArgumentException("two nodes have the id " + node.id());
      }
      switch (place.state()) {
        case NORMAL -> {
          now.add(node);
          later.add(node);
        }
        case JOINING -> later.add(node);
        case LEAVING -> now.add(node);
        case MOVING -> {
          now.add(node);
          later.add(withTokens(node, place.newTokens()));
        }
      }
    }
    List<RingNode> serving = now.isEmpty() ? List.of(self) : now;
    boolean changing = !now.equals(later) && !later.isEmpty();
    Ring ring = Ring.of(serving);
    return new Topology(self, byId, new PlacementTables(ring, changing ? Ring.of(later) : ring));
  }

  /**
   * Returns this topology with the placements that the previous one has computed already, if both
   * have the same rings and differ only in which nodes are alive.
   */
  public Topology following(Topology before) {
    boolean same =
        isChanging() == before.isChanging()
            && before.ring().isOf(ring().nodes())
            && before.future().isOf(future().nodes());
    return same ? new Topology(self, places, before.tables) : this;
  }

  /** A node that owns the whole ring. */
  public static Topology alone(RingNode self) {
    return of(self, List.of(new Place(self, RingState.NORMAL, List.of(), true)));
  }

  private static RingNode withTokens(RingNode node, List<byte[]> tokens) {
    return new RingNode(
        node.id(),
        node.address(),
        node.peerPort(),
        node.clientPort(),
        node.datacenter(),
        node.rack(),
        tokens);
  }

  /** The node whose view this is. */
  public RingNode self() {
    return self;
  }

  /** The nodes that serve now: all but the joining ones, moving ones with their current tokens. */
  public Ring ring() {
    return tables.now();
  }

  /**
   * The nodes that will serve when all changes under way are done; the same object as {@link #ring}
   * if there are none.
   */
  public Ring future() {
    return tables.later();
  }

  /** Whether nodes are about to own rows that they do not own yet. */
  @SuppressWarnings("ReferenceEquality") // without a change the two are one
  public boolean isChanging() {
    return tables.now() != tables.later();
  }

  /** Returns the owners of a keyspace's ranges. */
  public PlacementTable placement(Keyspace keyspace) {
    return tables.of(ReplicaPlacement.of(keyspace, self));
  }

  /** The nodes that hold a row with this token now. */
  public List<RingNode> replicas(ReplicaPlacement placement, byte[] token) {
    return tables.of(placement).owners(token).replicas();
  }

  /** The nodes that will hold a row with this token and do not yet; each write goes to them too. */
  public List<RingNode> pending(ReplicaPlacement placement, byte[] token) {
    return tables.of(placement).owners(token).pending();
  }

  /** Whether a node is up as far as this one knows. It considers itself up. */
  public boolean isAlive(String nodeId) {
    Place place = places.get(nodeId);
    return nodeId.equals(self.id()) || (place != null && place.alive());
  }

  /** Whether a node is up and accepts reads. */
  public boolean takesReads(String nodeId) {
    return isAlive(nodeId) && impactOf(nodeId).takesReads();
  }

  /** Whether a node is up and accepts writes. */
  public boolean takesWrites(String nodeId) {
    return isAlive(nodeId) && impactOf(nodeId).takesWrites();
  }

  /** Whether a node has not asked to be contacted last. */
  public boolean isFavourable(String nodeId) {
    return impactOf(nodeId).isFavourable();
  }

  private Impact impactOf(String nodeId) {
    Place place = places.get(nodeId);
    return place == null ? Impact.NONE : place.impact();
  }

  /**
   * Returns the same with the service that this node withdraws itself; the same object if it
   * withdraws nothing.
   */
  public Topology withOwnImpact(Impact impact) {
    Place own = places.get(self.id());
    if (own == null || own.impact() == impact) {
      return this;
    }
    Map<String, Place> changed = new LinkedHashMap<>(places);
    changed.put(
        self.id(), new Place(own.node(), own.state(), own.newTokens(), own.alive(), impact));
    return new Topology(self, changed, tables);
  }

  /** All nodes that own tokens or will, in the order in which they were given. */
  public List<Place> places() {
    return List.copyOf(places.values());
  }

  /** Returns the node with that id, if it owns tokens or will. */
  public Optional<Place> place(String nodeId) {
    return Optional.ofNullable(places.get(nodeId));
  }

  /**
   * Returns the ranges that a node holds copies of, in token order. They lie between neighbouring
   * tokens of the ring: two that touch stay two, since their other copies may be elsewhere.
   */
  public static List<TokenRange> rangesOf(Ring ring, ReplicaPlacement placement, String nodeId) {
    List<TokenRange> ranges = new ArrayList<>();
    for (TokenRange range : ring.ranges()) {
      for (RingNode replica : placement.replicas(ring, range.end())) {
        if (replica.id().equals(nodeId)) {
          ranges.add(range);
          break;
        }
      }
    }
    return List.copyOf(ranges);
  }
}
