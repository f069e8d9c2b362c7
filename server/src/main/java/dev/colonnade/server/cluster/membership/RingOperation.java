package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.gossip.LiveTopology;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.membership.MembershipException.Reason;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The steps that all changes of the ring share: preconditions, ring delay, and transfers of ranges.
 * For CONTROL.
 *
 * <ul>
 *   <li>At most one change at a time runs in a cluster: a node that sees another one refuses to
 *       begin.
 *   <li>After each announcement a change waits for the ring delay, so that all nodes act on it.
 *   <li>Then it looks again: of changes that were announced at the same moment, the one of the node
 *       with the smallest id goes on, and the others are undone.
 * </ul>
 */
final class RingOperation {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  /** How many ring delays a change with a greater id has to make way. */
  private static final int DELAYS_TO_YIELD = 2;

  /**
   * A change that another node makes.
   *
   * @param what it does, as in "node x is …"
   */
  private record OtherChange(Member member, String what) {}

  private final OperationContext context;
  private final Consumer<MembershipProgress> progress;

  /** The other parts of the node. */
  record OperationContext(
      Gossiper gossiper,
      LiveTopology topology,
      Streams streams,
      Supplier<Schema> schema,
      Clock clock,
      Scheduler scheduler,
      MembershipSettings settings) {}

  RingOperation(OperationContext context, Consumer<MembershipProgress> progress) {
    this.context = context;
    this.progress = progress;
  }

  OperationContext context() {
    return context;
  }

  Topology topology() {
    return context.topology().current();
  }

  String selfId() {
    return topology().self().id();
  }

  void report(String phase, String detail) {
    progress.accept(new MembershipProgress(phase, 0, 0, detail));
  }

  /** Completes on CONTROL after the delay. */
  CompletableFuture<Void> pause(Duration delay) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    context.scheduler().after(delay, Stage.CONTROL, () -> over.complete(null));
    return over;
  }

  /** Waits until all nodes act on the last announcement. */
  CompletableFuture<Void> waitRingDelay(String detail) {
    report("waiting", detail);
    return pause(context.settings().ringDelay());
  }

  /**
   * Waits until all nodes act on this node's announcement of its change, and until that is the only
   * one. Fails if another one that was announced at the same moment goes on; then this one has to
   * be undone.
   *
   * @param detail what is waited for
   * @param nodeId as in {@link #otherChangeThan}
   */
  CompletableFuture<Void> settle(String detail, String nodeId) {
    return waitRingDelay(detail)
        .thenCompose(
            passed -> {
              List<OtherChange> others = changesOfOthers();
              if (!others.isEmpty()) {
                Duration limit = context.settings().ringDelay().multipliedBy(DELAYS_TO_YIELD);
                // Coming owners may have missed writes while both were announced.
                return outlast(others, limit).thenCompose(alone -> settle(detail, nodeId));
              }
              Optional<MembershipException> other = otherChangeThan(nodeId);
              return other.isPresent()
                  ? CompletableFuture.failedFuture(other.get())
                  : CompletableFuture.completedFuture(null);
            });
  }

  /** Waits until other changes are undone, which the nodes with greater ids do by themselves. */
  private CompletableFuture<Void> outlast(List<OtherChange> others, Duration limit) {
    if (others.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    // Sorted by id, as members are.
    OtherChange other = others.get(0);
    if (other.member().id().compareTo(selfId()) < 0) {
      return CompletableFuture.failedFuture(
          undone(other, "began at the same moment, and the smaller id goes on"));
    }
    if (limit.isNegative()) {
      return CompletableFuture.failedFuture(undone(other, "does not make way"));
    }
    report("waiting", "until node " + other.member().id() + " has undone its own change");
    return pause(POLL_INTERVAL)
        .thenCompose(passed -> outlast(changesOfOthers(), limit.minus(POLL_INTERVAL)));
  }

  private static MembershipException undone(OtherChange other, String why) {
    return new MembershipException(
        Reason.OTHER_CHANGE,
        other.member().id(),
        other.member().peer()
            + " is "
            + other.what()
            + ": it "
            + why
            + ". One change at a time: this one was undone. Wait until the other is done, and try"
            + " again");
  }

  /** The changes that other nodes, which are up, make now, sorted by their ids. */
  private List<OtherChange> changesOfOthers() {
    List<OtherChange> found = new ArrayList<>();
    for (Member member : context.gossiper().members().all()) {
      if (member.alive() && !member.id().equals(selfId())) {
        changeOf(member).ifPresent(what -> found.add(new OtherChange(member, what)));
      }
    }
    return found;
  }

  private static Optional<String> changeOf(Member member) {
    Optional<String> removed = member.state(ApplicationState.REMOVING).filter(id -> !id.isEmpty());
    if (removed.isPresent()) {
      return removed.map(id -> "removing node " + id);
    }
    return member
        .status()
        .flatMap(
            status ->
                switch (status.kind()) {
                  case JOINING -> Optional.of("joining");
                  case LEAVING -> Optional.of("leaving");
                  case MOVING -> Optional.of("moving");
                  case REPLACING -> Optional.of("replacing node " + status.otherId());
                  case NORMAL, LEFT, REMOVED -> Optional.empty();
                });
  }

  /** Why no change can begin now: another one is under way. */
  Optional<MembershipException> otherChange() {
    return otherChangeThan("");
  }

  /**
   * As {@link #otherChange}, but ignores the change of one node: if it died while it joined, moved
   * or left, its removal or replacement ends that change.
   */
  Optional<MembershipException> otherChangeThan(String nodeId) {
    // The node that it was about to replace counts as leaving for that reason alone.
    String replaced =
        context
            .gossiper()
            .members()
            .byId(nodeId)
            .flatMap(Member::status)
            .filter(status -> status.kind() == NodeStatus.StatusKind.REPLACING)
            .map(NodeStatus::otherId)
            .orElse("");
    List<OtherChange> others = changesOfOthers();
    if (!others.isEmpty()) {
      OtherChange other = others.get(0);
      return Optional.of(
          new MembershipException(
              Reason.OTHER_CHANGE,
              other.member().id(),
              "node "
                  + other.member().peer()
                  + " is "
                  + other.what()
                  + ": one change at a time. Wait until it is done, and try again"));
    }
    for (Topology.Place place : topology().places()) {
      String id = place.node().id();
      boolean same = id.equals(selfId()) || id.equals(nodeId) || id.equals(replaced);
      if (place.state() != Topology.RingState.NORMAL && !same) {
        return Optional.of(
            new MembershipException(
                Reason.OTHER_CHANGE_STUCK,
                id,
                "node "
                    + id
                    + " at "
                    + place.node().address()
                    + " is "
                    + place.state().name().toLowerCase(Locale.ROOT)
                    + ", and down: one change at a time. Start it again, so that it can finish;"
                    + " or, if it will not come back, remove it from the ring (remove '"
                    + id
                    + "' in a shell on a node that is up). Then try again"));
      }
    }
    return Optional.empty();
  }

  /**
   * Why this node does not know yet what it has to fetch, and from where: another node has another
   * schema, or has nodes on its ring that this one has not heard of. Empty once it knows.
   */
  Optional<String> incompleteRing() {
    String own = context.schema().get().version();
    for (RingNode node : topology().ring().nodes()) {
      Optional<Member> member = context.gossiper().members().byId(node.id()).filter(Member::alive);
      if (member.isEmpty() || node.id().equals(selfId())) {
        continue;
      }
      String theirs = member.get().state(ApplicationState.SCHEMA).orElse(own);
      if (!theirs.equals(own)) {
        return Optional.of(
            "this node's schema differs from that of node "
                + member.get().peer()
                + ", so it would not fetch all rows. Wait until no schema changes are made and all"
                + " nodes have one schema, and try again");
      }
      for (String id :
          member.get().state(ApplicationState.UNKNOWN_PEERS).orElse("").split(",", -1)) {
        if (!id.isEmpty() && topology().place(id).isEmpty()) {
          return Optional.of(
              "node "
                  + member.get().peer()
                  + " has node "
                  + id
                  + " on its ring, which has been down since the others were started, so that this"
                  + " node cannot know of it. Start that node; or, if it will not come back, remove"
                  + " it (remove '"
                  + id
                  + "' in a shell on the first one). Then try again");
        }
      }
    }
    return Optional.empty();
  }

  /** As {@link #incompleteRing}, once it is empty or the limit has passed. */
  CompletableFuture<Optional<String>> awaitCompleteRing(Duration limit) {
    Optional<String> reason = incompleteRing();
    if (reason.isEmpty() || limit.isNegative() || limit.isZero()) {
      return CompletableFuture.completedFuture(reason);
    }
    return pause(POLL_INTERVAL)
        .thenCompose(passed -> awaitCompleteRing(limit.minus(POLL_INTERVAL)));
  }

  /** A node that is down and would own more rows later: it cannot fetch them. */
  Optional<RingNode> downGainer(Ring now, Ring later) {
    List<RingNode> found = new ArrayList<>();
    eachFamily(
        (family, placement, quorum) -> {
          for (RingNode node : later.nodes()) {
            if (found.isEmpty()
                && !isAlive(node)
                && !OwnershipDiff.gainedRanges(now, later, placement, node.id()).isEmpty()) {
              found.add(node);
            }
          }
        });
    return found.stream().findFirst();
  }

  long departureExpiryMillis() {
    return context.clock().wallMicros() / 1_000 + context.settings().departedFor().toMillis();
  }

  void setStatus(NodeStatus status) {
    context.gossiper().set(ApplicationState.STATUS, status.text());
  }

  /**
   * Fetches what this node owns on the later ring and not on the other, from the nodes that {@link
   * OwnershipDiff.ChangedRange#sources} names.
   */
  CompletableFuture<Void> fetchGainedRanges(Ring now, Ring later) {
    return fetch(placement -> OwnershipDiff.gainedRanges(now, later, placement, selfId()));
  }

  /**
   * Ensures that all nodes that own more on the later ring have their rows, when this node is the
   * one that changes its place.
   */
  CompletableFuture<Void> transferChangedRanges() {
    Topology topology = topology();
    Ring now = topology.ring();
    Ring later = topology.future();
    return fetchGainedRanges(now, later)
        .thenCompose(
            fetched -> fetch(placement -> OwnershipDiff.lacking(now, later, placement, selfId())))
        .thenCompose(fetched -> sendHandovers(now, later));
  }

  /** Sends what this node hands over on the later ring. */
  private CompletableFuture<Void> sendHandovers(Ring now, Ring later) {
    return transfer(
        placement -> OwnershipDiff.handovers(now, later, placement, selfId()),
        (range, quorum) -> range.others(),
        false);
  }

  private CompletableFuture<Void> fetch(
      Function<ReplicaPlacement, List<OwnershipDiff.ChangedRange>> rangesOf) {
    return transfer(rangesOf, (range, quorum) -> range.sources(quorum, this::takesReads), true);
  }

  /** Which nodes a range is fetched from, or sent to. */
  private interface PeerChoice {
    List<RingNode> peers(OwnershipDiff.ChangedRange range, int quorum);
  }

  /** Moves ranges of all families, with one stream for each family and peer. */
  private CompletableFuture<Void> transfer(
      Function<ReplicaPlacement, List<OwnershipDiff.ChangedRange>> rangesOf,
      PeerChoice choice,
      boolean fetches) {
    List<Transfers.RowTransfer> transfers = new ArrayList<>();
    eachFamily(
        (family, placement, quorum) -> {
          Map<String, RingNode> peers = new LinkedHashMap<>();
          Map<String, List<TokenRange>> rangesOfPeer = new HashMap<>();
          for (OwnershipDiff.ChangedRange changed : rangesOf.apply(placement)) {
            for (RingNode peer : choice.peers(changed, quorum)) {
              peers.put(peer.id(), peer);
              rangesOfPeer
                  .computeIfAbsent(peer.id(), none -> new ArrayList<>())
                  .add(changed.range());
            }
          }
          peers.forEach(
              (id, peer) ->
                  transfers.add(
                      new Transfers.RowTransfer(
                          family.id(),
                          family.keyspace() + "." + family.name(),
                          List.copyOf(rangesOfPeer.getOrDefault(id, List.of())),
                          peer,
                          fetches)));
        });
    return Transfers.run(
        transfers,
        context.streams(),
        context.scheduler(),
        context.settings(),
        this::isAlive,
        progress);
  }

  private boolean isAlive(RingNode node) {
    return topology().isAlive(node.id());
  }

  private boolean takesReads(RingNode node) {
    return topology().takesReads(node.id());
  }

  private interface FamilyVisitor {
    void visit(ColumnFamily family, ReplicaPlacement placement, int quorum);
  }

  private void eachFamily(FamilyVisitor visitor) {
    for (Keyspace keyspace : context.schema().get().keyspaces().values()) {
      if (!keyspace.isSystem()) {
        ReplicaPlacement placement = ReplicaPlacement.of(keyspace, topology().self());
        int quorum = keyspace.replicationFactor() / 2 + 1;
        keyspace.families().values().forEach(family -> visitor.visit(family, placement, quorum));
      }
    }
  }
}
