package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.ring.Topology.Place;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Builds a topology from what nodes announce. Nodes that know the same members build the same
 * topology:
 *
 * <ul>
 *   <li>A node without a status or tokens, or with unreadable ones, is not on the ring.
 *   <li>A node that has replaced another one (status {@code normal:ID}) evicts it from the ring; a
 *       node that is replacing one (status {@code replacing:ID}) makes it a leaving node.
 *   <li>A dead node that a living one removes (state REMOVING) is a leaving node. A joining node
 *       that is down has no place.
 *   <li>If two nodes claim one token, the one that took it first keeps it, for ever and however
 *       often either is restarted: a newcomer by mistake does not have the data. If both took it in
 *       the same microsecond, the smaller id wins. A claim for the time after a change yields to
 *       one that holds now. A node with no token left is not on the ring.
 * </ul>
 */
final class TopologyBuilder {

  /** A node's claim to its tokens. */
  private record TokenClaim(
      Member member, NodeStatus status, List<byte[]> tokens, List<byte[]> newTokens) {

    boolean serves() {
      return status.kind() != NodeStatus.StatusKind.JOINING
          && status.kind() != NodeStatus.StatusKind.REPLACING;
    }

    boolean staysWhereItIs() {
      return status.kind() == NodeStatus.StatusKind.NORMAL;
    }

    TokenClaim with(List<byte[]> kept, List<byte[]> keptNew) {
      return new TokenClaim(member, status, kept, keptNew);
    }
  }

  private final EndpointSnitch snitch;
  private final Consumer<String> reports;
  private final Map<String, TokenClaim> claims = new TreeMap<>();
  private final Set<String> replaced = new TreeSet<>();
  private final Set<String> evicted = new TreeSet<>();

  private TopologyBuilder(EndpointSnitch snitch, Consumer<String> reports) {
    this.snitch = snitch;
    this.reports = reports;
  }

  /**
   * Returns the topology of these members.
   *
   * @param self this node, if it has no place yet
   * @param remembered the nodes that were on the ring before this node's start; those not heard of
   *     since count as present, and down
   * @param reports hears of what was left out, again each time
   */
  static Topology of(
      Members members,
      RingNode self,
      EndpointSnitch snitch,
      List<RingNode> remembered,
      Consumer<String> reports) {
    TopologyBuilder builder = new TopologyBuilder(snitch, reports);
    for (Member member : members.all()) {
      builder.claim(member);
    }
    builder.dropReplaced();
    members.all().forEach(builder::evictRemoved);
    builder.settleTokens();
    return builder.topology(self, builder.unknownPeers(remembered, members));
  }

  /** Whether the node's place has been announced, or another node has replaced it. */
  static boolean isHeard(Members members, String id) {
    return members
            .byId(id)
            .flatMap(member -> member.state(ApplicationState.STATUS))
            .filter(status -> !status.isEmpty())
            .isPresent()
        || members.all().stream()
            .anyMatch(member -> member.status().filter(status -> status.replaced(id)).isPresent());
  }

  /** The remembered nodes whose place is not known from gossip, and whose tokens are free. */
  private List<RingNode> unknownPeers(List<RingNode> remembered, Members members) {
    Set<String> taken = new HashSet<>();
    for (TokenClaim claim : claims.values()) {
      claim.tokens().forEach(token -> taken.add(hex(token)));
      claim.newTokens().forEach(token -> taken.add(hex(token)));
    }
    List<RingNode> unheard = new ArrayList<>();
    for (RingNode node : remembered) {
      boolean known = node.id().equals(members.self().id()) || isHeard(members, node.id());
      if (!known && node.tokens().stream().noneMatch(token -> taken.contains(hex(token)))) {
        unheard.add(node);
        node.tokens().forEach(token -> taken.add(hex(token)));
      }
    }
    return unheard;
  }

  private void claim(Member member) {
    Optional<String> text = member.state(ApplicationState.STATUS);
    if (text.isEmpty() || text.get().isEmpty()) {
      return;
    }
    Optional<NodeStatus> status = member.status();
    if (status.isEmpty()) {
      leftOut(member, "its status '" + text.get() + "' is unknown to this release");
      return;
    }
    if (status.get().departed()) {
      return;
    }
    Optional<List<byte[]>> tokens =
        member.state(ApplicationState.TOKENS).flatMap(TokenCodec::parse);
    if (tokens.isEmpty()) {
      leftOut(member, "it names no tokens, or none that can be read");
      return;
    }
    claims.put(
        member.id(), new TokenClaim(member, status.get(), tokens.get(), status.get().newTokens()));
  }

  private void leftOut(Member member, String reason) {
    reports.accept("node " + member.peer() + " is left out of the ring: " + reason);
  }

  private void dropReplaced() {
    for (TokenClaim claim : claims.values()) {
      if (claim.status().kind() == NodeStatus.StatusKind.NORMAL
          && !claim.status().otherId().isEmpty()
          && !claim.status().otherId().equals(claim.member().id())) {
        replaced.add(claim.status().otherId());
      }
    }
    replaced.forEach(claims::remove);
    for (TokenClaim claim : List.copyOf(claims.values())) {
      if (claim.status().kind() == NodeStatus.StatusKind.REPLACING) {
        claims.computeIfPresent(
            claim.status().otherId(),
            (id, other) ->
                new TokenClaim(other.member(), NodeStatus.leaving(), other.tokens(), List.of()));
      }
    }
  }

  /** Evicts a dead node that another one removes. */
  private void evictRemoved(Member remover) {
    Optional<String> removed = remover.state(ApplicationState.REMOVING);
    if (remover.alive() && removed.isPresent() && !removed.get().isEmpty()) {
      evicted.add(removed.get());
      claims.computeIfPresent(
          removed.get(),
          (id, dead) ->
              dead.member().alive()
                  ? dead
                  : new TokenClaim(dead.member(), NodeStatus.leaving(), dead.tokens(), List.of()));
    }
  }

  private void settleTokens() {
    Comparator<TokenClaim> first =
        Comparator.comparingLong((TokenClaim claim) -> claim.member().tokensSince())
            .thenComparing(claim -> claim.member().id());
    List<TokenClaim> sorted = claims.values().stream().sorted(first).toList();
    Map<String, String> now = new TreeMap<>();
    Map<String, String> later = new TreeMap<>();
    for (TokenClaim claim : sorted) {
      if (claim.serves()) {
        List<byte[]> kept = take(claim, claim.tokens(), now);
        keep(claim.with(kept, claim.newTokens()));
      }
    }
    for (TokenClaim claim : claims.values()) {
      if (claim.staysWhereItIs()) {
        claim.tokens().forEach(token -> later.put(hex(token), claim.member().id()));
      }
    }
    for (TokenClaim stale : sorted) {
      TokenClaim claim = claims.get(stale.member().id());
      if (claim != null && !claim.serves()) {
        keep(claim.with(take(claim, claim.tokens(), later), List.of()));
      } else if (claim != null && !claim.newTokens().isEmpty()) {
        keep(claim.with(claim.tokens(), take(claim, claim.newTokens(), later)));
      }
    }
  }

  private void keep(TokenClaim claim) {
    if (claim.tokens().isEmpty()) {
      claims.remove(claim.member().id());
    } else {
      claims.put(claim.member().id(), claim);
    }
  }

  private List<byte[]> take(TokenClaim claim, List<byte[]> tokens, Map<String, String> taken) {
    List<byte[]> kept = new ArrayList<>();
    for (byte[] token : tokens) {
      String owner = taken.putIfAbsent(hex(token), claim.member().id());
      if (owner == null) {
        kept.add(token);
      } else {
        reports.accept(
            "nodes "
                + owner
                + " and "
                + claim.member().peer()
                + " both claim the token "
                + hex(token)
                + "; the first keeps it, because it took it earlier or is on the ring already. Move"
                + " one of them, or remove it");
      }
    }
    return kept;
  }

  private static String hex(byte[] token) {
    return HexFormat.of().formatHex(token);
  }

  private Topology topology(RingNode self, List<RingNode> unheard) {
    List<Place> places = new ArrayList<>();
    for (RingNode node : unheard) {
      RingState state = evicted.contains(node.id()) ? RingState.LEAVING : RingState.NORMAL;
      places.add(new Place(node, state, List.of(), false));
    }
    RingNode me = self;
    for (TokenClaim claim : claims.values()) {
      Place place = place(claim);
      places.add(place);
      if (claim.member().id().equals(self.id())) {
        me = place.node();
      }
    }
    return Topology.of(me, places);
  }

  private Place place(TokenClaim claim) {
    RingState state =
        switch (claim.status().kind()) {
          case JOINING, REPLACING -> RingState.JOINING;
          case LEAVING -> RingState.LEAVING;
          case MOVING -> claim.newTokens().isEmpty() ? RingState.NORMAL : RingState.MOVING;
          case NORMAL, LEFT, REMOVED -> RingState.NORMAL;
        };
    List<byte[]> newTokens = state == RingState.MOVING ? claim.newTokens() : List.of();
    Member member = claim.member();
    return new Place(node(claim), state, newTokens, member.alive(), member.impact());
  }

  private RingNode node(TokenClaim claim) {
    Member member = claim.member();
    String host = member.peer().address().host();
    DcRack dcRack = snitch.of(host, announced(member));
    return new RingNode(
        member.id(),
        host,
        member.peer().address().port(),
        member.state(ApplicationState.CLIENT_PORT).map(TopologyBuilder::port).orElse(0),
        dcRack.datacenter(),
        dcRack.rack(),
        claim.tokens());
  }

  private static Optional<DcRack> announced(Member member) {
    String datacenter = member.state(ApplicationState.DATACENTER).orElse("");
    String rack = member.state(ApplicationState.RACK).orElse("");
    return datacenter.isEmpty() || rack.isEmpty()
        ? Optional.empty()
        : Optional.of(new DcRack(datacenter, rack));
  }

  private static int port(String text) {
    try {
      return Math.max(0, Math.min(65_535, Integer.parseInt(text)));
    } catch (NumberFormatException notAPort) {
      return 0;
    }
  }
}
