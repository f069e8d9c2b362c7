package dev.colonnade.server.membership;

import dev.colonnade.server.async.Claim;
import dev.colonnade.server.async.Slot;
import dev.colonnade.server.async.Then;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.gossip.ApplicationState;
import dev.colonnade.server.gossip.Gossiper;
import dev.colonnade.server.gossip.LiveTopology;
import dev.colonnade.server.gossip.NodeStatus;
import dev.colonnade.server.gossip.TokenCodec;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.Verb;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.ReplicaPlacement;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.Schema;
import dev.colonnade.server.streaming.Streams;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's place in the ring, and how it changes. Thread-safe; never blocks. Futures fail with
 * {@link MembershipException}. Listeners are told on the control stage, or by streams; they must
 * not block.
 */
public final class Membership {

  /** What outlasts a restart of the node. Futures complete when it does. */
  public interface MembershipStore {
    /** The tokens with which the node is in the ring. */
    CompletableFuture<Void> keepTokens(List<byte[]> tokens);

    /** The tokens of a node that this one has replaced. */
    CompletableFuture<Void> keepTokensOf(String replacedId, List<byte[]> tokens);

    /**
     * When the tokens that were kept last were, in microseconds since 1970; the same after each
     * start of the node.
     */
    long tokensSince();

    /** The node has left for good, and must not come back with this data. */
    CompletableFuture<Void> keepDeparture();

    /** All nodes know by now that this one has left: it has nothing to answer or to take. */
    void departed();

    /**
     * Brings what is kept here for others to them, as far as they are up, before the node leaves.
     *
     * @param told hears how far that is
     */
    CompletableFuture<Void> giveBack(Consumer<String> told);
  }

  private final RingOperation.Context parts;
  private final Partitioner partitioner;
  private final MembershipStore memory;
  private final NodeRemoval removing;

  /** Whether a change is under way here. */
  private final Slot change = new Slot();

  /** Joins the parts that take part. Registers a verb: before the messenger starts. */
  public Membership(
      Gossiper gossiper,
      LiveTopology topology,
      Streams streams,
      Messenger messenger,
      Partitioner partitioner,
      Supplier<Schema> schema,
      Clock clock,
      Scheduler scheduler,
      MembershipSettings settings,
      MembershipStore memory) {
    this.parts =
        new RingOperation.Context(gossiper, topology, streams, schema, clock, scheduler, settings);
    this.partitioner = partitioner;
    this.memory = memory;
    this.removing = new NodeRemoval(parts, messenger);
    messenger.handle(Verb.MEMBERSHIP, removing::handle);
  }

  /**
   * Takes a place with tokens that the node has already.
   *
   * @param replaced the id of the node that had them before
   */
  public CompletableFuture<Void> enter(List<byte[]> tokens, Optional<String> replaced) {
    return alone(() -> nowOwns(tokens, replaced));
  }

  /**
   * Takes a first place without data. Fails if that is one of another node of the ring.
   *
   * @param mayBeOthers whether there are seeds but this node that may know a ring
   */
  public CompletableFuture<Void> found(List<byte[]> tokens, boolean mayBeOthers) {
    return alone(
        () ->
            new FirstTokenClaim(new RingOperation(parts, progress -> {}))
                .begin(tokens, mayBeOthers)
                .thenCompose(free -> memory.keepTokens(tokens))
                .thenCompose(kept -> onControl(() -> nowOwns(tokens, Optional.empty()))));
  }

  /**
   * Why this node should not be where it is: it is at the address of another one of the ring. For
   * CONTROL.
   */
  public Optional<String> formerSelf() {
    return AddressReuseCheck.of(new RingOperation(parts, progress -> {}));
  }

  /** Gives up the place for good; what stands against it was found too late. For CONTROL. */
  public CompletableFuture<Void> giveUp() {
    RingOperation operation = new RingOperation(parts, progress -> {});
    operation.setStatus(NodeStatus.left(operation.departureExpiryMillis()));
    return memory.keepDeparture();
  }

  private void own(List<byte[]> tokens, NodeStatus status) {
    Map<ApplicationState, String> states = new TreeMap<>();
    states.put(ApplicationState.TOKENS, TokenCodec.print(tokens));
    states.put(ApplicationState.TOKENS_SINCE, Long.toString(memory.tokensSince()));
    states.put(ApplicationState.STATUS, status.text());
    parts.gossiper().set(states);
  }

  /**
   * Joins a ring that has data. The gossiper runs, and says nothing of a place yet.
   *
   * @param wanted its tokens; none lets the node choose
   * @param replaced the id of a dead node whose place is taken
   */
  public CompletableFuture<Void> bootstrap(
      List<byte[]> wanted, Optional<String> replaced, Consumer<MembershipProgress> progress) {
    return told(
        progress,
        operation ->
            new Bootstrap(operation, partitioner, wanted, replaced)
                .begin()
                .thenCompose(
                    tokens ->
                        replaced
                            .map(id -> memory.keepTokensOf(id, tokens))
                            .orElseGet(() -> memory.keepTokens(tokens))
                            .thenCompose(kept -> onControl(() -> nowOwns(tokens, replaced)))));
  }

  private CompletableFuture<Void> nowOwns(List<byte[]> tokens, Optional<String> replaced) {
    own(tokens, replaced.map(NodeStatus::normalInsteadOf).orElseGet(NodeStatus::normal));
    replaced
        .flatMap(parts.gossiper().members()::byId)
        .filter(dead -> !dead.alive())
        .ifPresent(
            dead ->
                parts
                    .gossiper()
                    .remove(
                        dead.id(), new RingOperation(parts, none -> {}).departureExpiryMillis()));
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Hands this node's rows to those who own them without it, and leaves for good.
   *
   * @param force also where a keyspace then wants more copies of a row than there are nodes
   */
  public CompletableFuture<Void> decommission(
      boolean force, Consumer<MembershipProgress> progress) {
    return told(progress, operation -> leave(force, operation));
  }

  private CompletableFuture<Void> leave(boolean force, RingOperation operation) {
    Optional<String> other = operation.otherChange();
    if (other.isPresent()) {
      return refused(other.get());
    }
    if (operation.topology().ring().nodes().size() == 1) {
      return refused("this is the only node of the ring: there is nobody to take its rows");
    }
    Optional<String> shortage =
        force
            ? Optional.empty()
            : ReplicaShortage.without(
                operation.topology().self(),
                operation.topology().ring().nodes(),
                parts.schema().get());
    if (shortage.isPresent()) {
      return refused(
          "without this node there are fewer nodes than copies of each row: "
              + shortage.get()
              + ". Add a node first, lower the replication factor, or force it: rows then have"
              + " fewer copies");
    }
    operation.setStatus(NodeStatus.leaving());
    return operation
        .waitRingDelay("until all nodes send the coming owners their writes")
        .thenCompose(settled -> operation.carryOver())
        .thenCompose(sent -> memory.giveBack(detail -> operation.tell("giving back hints", detail)))
        .thenCompose(given -> memory.keepDeparture())
        .thenCompose(
            kept ->
                onControl(
                    () -> {
                      operation.setStatus(NodeStatus.left(operation.departureExpiryMillis()));
                      return operation.waitRingDelay("until all nodes know that this one has left");
                    }))
        .thenRun(memory::departed)
        .whenComplete((left, failure) -> stayOnFailure(operation, failure));
  }

  /** Moves this node to another place: fetches what it gains and hands over what it loses. */
  public CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> progress) {
    List<byte[]> tokens = List.of(token.clone());
    return told(progress, operation -> move(tokens, operation));
  }

  private CompletableFuture<Void> move(List<byte[]> tokens, RingOperation operation) {
    Optional<String> other = operation.otherChange();
    if (other.isPresent()) {
      return refused(other.get());
    }
    if (operation.topology().self().tokens().size() != tokens.size()) {
      return refused(
          "this node has "
              + operation.topology().self().tokens().size()
              + " tokens, and a move takes it to one: to change the place of such a node,"
              + " decommission it, and let it join again with an empty data directory");
    }
    for (Topology.Place place : operation.topology().places()) {
      for (byte[] taken : place.node().tokens()) {
        if (Arrays.equals(taken, tokens.get(0))) {
          return refused(
              "node " + place.node().id() + " has that token already: choose another one");
        }
      }
    }
    operation.setStatus(NodeStatus.moving(tokens));
    return operation
        .waitRingDelay("until all nodes send the coming owners their writes")
        .thenCompose(settled -> operation.carryOver())
        .thenCompose(sent -> memory.keepTokens(tokens))
        .thenCompose(kept -> onControl(() -> nowOwns(tokens, Optional.empty())))
        .whenComplete((moved, failure) -> stayOnFailure(operation, failure));
  }

  /**
   * Gives this node the place where it relieves the fullest other one most: it leaves the one that
   * it has, and takes the token in the middle of that node's largest range. Nothing happens if it
   * stands there.
   */
  public CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> progress) {
    return told(
        progress,
        operation -> {
          List<RingNode> others =
              operation.topology().ring().nodes().stream()
                  .filter(node -> !node.id().equals(operation.selfId()))
                  .toList();
          if (others.isEmpty()) {
            return refused("this is the only node of the ring: there is nobody to relieve");
          }
          byte[] token = new LoadBalanceTarget(operation, partitioner).middle(Ring.of(others));
          operation.tell("choosing", "the token " + partitioner.printToken(token));
          List<byte[]> own = operation.topology().self().tokens();
          if (own.size() == 1 && Arrays.equals(own.get(0), token)) {
            return CompletableFuture.completedFuture(null);
          }
          return move(List.of(token), operation);
        });
  }

  /** Why rows that belong elsewhere cannot be left out here now; empty if they can. */
  public Optional<String> unsettled() {
    return OwnedRows.unsettled(new RingOperation(parts, progress -> {}));
  }

  /** Tells which rows of a family belong on this node, at the moment when it is asked. */
  public Predicate<RowKey> residents(ColumnFamily family) {
    return new OwnedRows(
        parts.topology(),
        self ->
            Optional.ofNullable(parts.schema().get().keyspaces().get(family.keyspace()))
                .map(keyspace -> ReplicaPlacement.of(keyspace, self))
                .orElse((ring, token) -> List.of(self)));
  }

  private void stayOnFailure(RingOperation operation, @Nullable Throwable failure) {
    if (failure != null) {
      var unused =
          parts.scheduler().submit(Stage.CONTROL, () -> operation.setStatus(NodeStatus.normal()));
    }
  }

  /** Takes a dead node out of the ring, for good. */
  public CompletableFuture<Void> remove(String nodeId, Consumer<MembershipProgress> progress) {
    return told(progress, operation -> removing.begin(nodeId, operation));
  }

  private static CompletableFuture<Void> refused(String message) {
    return CompletableFuture.failedFuture(new MembershipException(message));
  }

  private interface Task {
    CompletableFuture<Void> begin();
  }

  /** One change of this node at a time, of which others hear how far it is. */
  private CompletableFuture<Void> told(
      Consumer<MembershipProgress> progress,
      Function<RingOperation, CompletableFuture<Void>> begin) {
    return alone(
        () -> {
          GossipedProgress told = new GossipedProgress(parts, progress);
          return begin
              .apply(new RingOperation(parts, told))
              .whenComplete((done, failure) -> told.end());
        });
  }

  /** One change of this node at a time. */
  private CompletableFuture<Void> alone(Task task) {
    return onControl(
        () -> {
          Claim turn = change.claim();
          return turn == null
              ? refused("this node is in the middle of another change of membership")
              : turn.until(Then.called(task::begin));
        });
  }

  private CompletableFuture<Void> onControl(Task task) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Runnable run = () -> Then.relay(Then.called(task::begin), result);
    if (!parts.scheduler().submit(Stage.CONTROL, run)) {
      result.completeExceptionally(
          new MembershipException("the node is stopping, or its control stage is full"));
    }
    return result;
  }
}
