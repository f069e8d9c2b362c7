package dev.colonnade.server.gossip;

import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.ring.Topology.Place;
import dev.colonnade.server.ring.Topology.State;
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
 * What nodes say of themselves, made into a topology. Everybody who knows the same makes the same:
 *
 * <ul>
 *   <li>Who has no status, no tokens, or some that nobody can read, is not on the ring.
 *   <li>Who took the place of another (status {@code normal:ID}) drives that one off the ring; who
 *       takes it (status {@code replacing:ID}) makes that one a leaving node.
 *   <li>A dead node that a living one takes out (state REMOVING) is a leaving node. A joining node
 *       that is down has no place.
 *   <li>Of two that claim one token the one that took it first has it, for ever and however often
 *       either is started again: a newcomer by mistake has not the data. Where both took it in one
 *       microsecond, the smaller id. A claim for the time after a change yields to one that holds
 *       now. Who has no token left is not on the ring.
 * </ul>
 */
final class RingPlan {

  /** A node that wants a place. */
  private record Claim(
      Member member, NodeStatus status, List<byte[]> tokens, List<byte[]> newTokens) {

    boolean serves() {
      return status.kind() != NodeStatus.Kind.JOINING && status.kind() != NodeStatus.Kind.REPLACING;
    }

    boolean staysWhereItIs() {
      return status.kind() == NodeStatus.Kind.NORMAL;
    }

    Claim with(List<byte[]> kept, List<byte[]> keptNew) {
      return new Claim(member, status, kept, keptNew);
    }
  }

  private final Locations locations;
  private final Consumer<String> reports;
  private final Map<String, Claim> claims = new TreeMap<>();
  private final Set<String> replaced = new TreeSet<>();
  private final Set<String> turnedOut = new TreeSet<>();

  private RingPlan(Locations locations, Consumer<String> reports) {
    this.locations = locations;
    this.reports = reports;
  }

  /**
   * The topology of these members.
   *
   * @param self this node where it has no place yet
   * @param remembered who was on the ring before this node's start; of whom nobody has told yet,
   *     counts as being there, and down
   * @param reports hears of what was left out, again each time
   */
  static Topology of(
      Members members,
      RingNode self,
      Locations locations,
      List<RingNode> remembered,
      Consumer<String> reports) {
    RingPlan plan = new RingPlan(locations, reports);
    for (Member member : members.all()) {
      plan.claim(member);
    }
    plan.dropReplaced();
    members.all().forEach(plan::turnOutRemoved);
    plan.settleTokens();
    return plan.topology(self, plan.unheard(remembered, members));
  }

  /** Whether somebody has told of a node's place, or of another one that has it. */
  static boolean isHeard(Members members, String id) {
    return members
            .byId(id)
            .flatMap(member -> member.state(ApplicationState.STATUS))
            .filter(status -> !status.isEmpty())
            .isPresent()
        || members.all().stream()
            .anyMatch(member -> member.status().filter(status -> status.replaced(id)).isPresent());
  }

  /** Those of the remembered nodes of whose place nothing is known, and whose tokens are free. */
  private List<RingNode> unheard(List<RingNode> remembered, Members members) {
    Set<String> taken = new HashSet<>();
    for (Claim claim : claims.values()) {
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
    Optional<List<byte[]>> tokens = member.state(ApplicationState.TOKENS).flatMap(Tokens::parse);
    if (tokens.isEmpty()) {
      leftOut(member, "it names no tokens, or none that can be read");
      return;
    }
    claims.put(
        member.id(), new Claim(member, status.get(), tokens.get(), status.get().newTokens()));
  }

  private void leftOut(Member member, String reason) {
    reports.accept("node " + member.peer() + " is left out of the ring: " + reason);
  }

  private void dropReplaced() {
    for (Claim claim : claims.values()) {
      if (claim.status().kind() == NodeStatus.Kind.NORMAL
          && !claim.status().otherId().isEmpty()
          && !claim.status().otherId().equals(claim.member().id())) {
        replaced.add(claim.status().otherId());
      }
    }
    replaced.forEach(claims::remove);
    for (Claim claim : List.copyOf(claims.values())) {
      if (claim.status().kind() == NodeStatus.Kind.REPLACING) {
        claims.computeIfPresent(
            claim.status().otherId(),
            (id, other) ->
                new Claim(other.member(), NodeStatus.leaving(), other.tokens(), List.of()));
      }
    }
  }

  /** A dead node that somebody takes out of the ring leaves it. */
  private void turnOutRemoved(Member remover) {
    Optional<String> removed = remover.state(ApplicationState.REMOVING);
    if (remover.alive() && removed.isPresent() && !removed.get().isEmpty()) {
      turnedOut.add(removed.get());
      claims.computeIfPresent(
          removed.get(),
          (id, dead) ->
              dead.member().alive()
                  ? dead
                  : new Claim(dead.member(), NodeStatus.leaving(), dead.tokens(), List.of()));
    }
  }

  private void settleTokens() {
    Comparator<Claim> first =
        Comparator.comparingLong((Claim claim) -> claim.member().tokensSince())
            .thenComparing(claim -> claim.member().id());
    List<Claim> sorted = claims.values().stream().sorted(first).toList();
    Map<String, String> now = new TreeMap<>();
    Map<String, String> later = new TreeMap<>();
    for (Claim claim : sorted) {
      if (claim.serves()) {
        List<byte[]> kept = take(claim, claim.tokens(), now);
        keep(claim.with(kept, claim.newTokens()));
      }
    }
    for (Claim claim : claims.values()) {
      if (claim.staysWhereItIs()) {
        claim.tokens().forEach(token -> later.put(hex(token), claim.member().id()));
      }
    }
    for (Claim stale : sorted) {
      Claim claim = claims.get(stale.member().id());
      if (claim != null && !claim.serves()) {
        keep(claim.with(take(claim, claim.tokens(), later), List.of()));
      } else if (claim != null && !claim.newTokens().isEmpty()) {
        keep(claim.with(claim.tokens(), take(claim, claim.newTokens(), later)));
      }
    }
  }

  private void keep(Claim claim) {
    if (claim.tokens().isEmpty()) {
      claims.remove(claim.member().id());
    } else {
      claims.put(claim.member().id(), claim);
    }
  }

  private List<byte[]> take(Claim claim, List<byte[]> tokens, Map<String, String> taken) {
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
                + "; the first has it and keeps it, because it took it earlier or stands on the ring"
                + " already. Move one of them, or take it out");
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
      State state = turnedOut.contains(node.id()) ? State.LEAVING : State.NORMAL;
      places.add(new Place(node, state, List.of(), false));
    }
    RingNode me = self;
    for (Claim claim : claims.values()) {
      Place place = place(claim);
      places.add(place);
      if (claim.member().id().equals(self.id())) {
        me = place.node();
      }
    }
    return Topology.of(me, places);
  }

  private Place place(Claim claim) {
    State state =
        switch (claim.status().kind()) {
          case JOINING, REPLACING -> State.JOINING;
          case LEAVING -> State.LEAVING;
          case MOVING -> claim.newTokens().isEmpty() ? State.NORMAL : State.MOVING;
          case NORMAL, LEFT, REMOVED -> State.NORMAL;
        };
    List<byte[]> newTokens = state == State.MOVING ? claim.newTokens() : List.of();
    Member member = claim.member();
    return new Place(node(claim), state, newTokens, member.alive(), member.impact());
  }

  private RingNode node(Claim claim) {
    Member member = claim.member();
    String host = member.peer().address().host();
    Location location = locations.of(host, announced(member));
    return new RingNode(
        member.id(),
        host,
        member.peer().address().port(),
        member.state(ApplicationState.CLIENT_PORT).map(RingPlan::port).orElse(0),
        location.datacenter(),
        location.rack(),
        claim.tokens());
  }

  private static Optional<Location> announced(Member member) {
    String datacenter = member.state(ApplicationState.DATACENTER).orElse("");
    String rack = member.state(ApplicationState.RACK).orElse("");
    return datacenter.isEmpty() || rack.isEmpty()
        ? Optional.empty()
        : Optional.of(new Location(datacenter, rack));
  }

  private static int port(String text) {
    try {
      return Math.max(0, Math.min(65_535, Integer.parseInt(text)));
    } catch (NumberFormatException notAPort) {
      return 0;
    }
  }
}
