package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Slot;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Gossiper;
import dev.colonnade.server.cluster.gossip.LiveTopology;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.gossip.TokenCodec;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.ReplicaShortage;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.Streams;
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
 * This node's place in the ring, and the operations that change it: join, replace, move, leave, and
 * removal of a dead node.
 *
 * <ul>
 *   <li>One operation at a time runs on this node; it is refused while another node runs one.
 *   <li>Other nodes hear by gossip how far the operation is.
 * </ul>
 *
 * <p>Thread-safe; never blocks. Futures fail with {@link MembershipException}. Progress listeners
 * are called on the control stage or by streams, and must not block.
 */
public final class Membership {

  /** Stores what survives a restart of the node. A future completes when the change is durable. */
  public interface MembershipStore {
    /** Stores the node's tokens in the ring. */
    CompletableFuture<Void> keepTokens(List<byte[]> tokens);

    /** Stores the tokens of a node that this one has replaced. */
    CompletableFuture<Void> keepTokensOf(String replacedId, List<byte[]> tokens);

    /**
     * When the stored tokens were stored, in microseconds since 1970; the same after each restart.
     */
    long tokensSince();

    /** Stores that the node has left for good, and must not come back with this data. */
    CompletableFuture<Void> keepDeparture();

    /** All nodes know by now that this one has left: it serves nothing any more. */
    void departed();

    /**
     * Delivers the hints kept here to those nodes that are up, before this node leaves.
     *
     * @param told hears the progress
     */
    CompletableFuture<Void> giveBack(Consumer<String> told);
  }

  private final RingOperation.OperationContext parts;
  private final Partitioner partitioner;
  private final MembershipStore memory;
  private final NodeRemoval removing;

  /** Held while a change is under way here. */
  private final Slot change = new Slot();

  /** Wires the parts. Registers a verb, and so belongs before the messenger's start. */
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
        new RingOperation.OperationContext(
            gossiper, topology, streams, schema, clock, scheduler, settings);
    this.partitioner = partitioner;
    this.memory = memory;
    this.removing = new NodeRemoval(parts, messenger);
    messenger.handle(Verb.MEMBERSHIP, removing::handle);
  }

  /**
   * Takes a place with tokens that the node owns already.
   *
   * @param replaced the id of the node that had them before
   */
  public CompletableFuture<Void> enter(List<byte[]> tokens, Optional<String> replaced) {
    return alone(() -> nowOwns(tokens, replaced));
  }

  /**
   * Takes a first place without data. Fails if another node of the ring may have that place.
   *
   * @param mayBeOthers whether there are seeds other than this node that may know a ring
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
   * Why this node should not have its place: it has the address of another node of the ring. For
   * CONTROL.
   */
  public Optional<MembershipException> addressConflict() {
    return AddressReuseCheck.of(new RingOperation(parts, progress -> {}));
  }

  /** Gives up the place for good, because a conflict was found too late. For CONTROL. */
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
   * Joins a ring that has data. The gossiper runs, and announces no place yet.
   *
   * @param wanted its tokens; if empty, the node chooses
   * @param replaced the id of a dead node to replace
   */
  public CompletableFuture<Void> bootstrap(
      List<byte[]> wanted, Optional<String> replaced, Consumer<MembershipProgress> progress) {
    return reported(
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
   * Hands this node's rows to the nodes that own them without it, and leaves for good.
   *
   * @param force also if a keyspace then wants more copies of a row than there are nodes
   */
  public CompletableFuture<Void> decommission(
      boolean force, Consumer<MembershipProgress> progress) {
    return reported(progress, operation -> leave(force, operation));
  }

  private CompletableFuture<Void> leave(boolean force, RingOperation operation) {
    Optional<MembershipException> other = operation.otherChange();
    if (other.isPresent()) {
      return CompletableFuture.failedFuture(other.get());
    }
    if (operation.topology().ring().nodes().size() == 1) {
      return refused("this is the only node of the ring: no other node can take its rows");
    }
    Optional<String> shortage =
        force
            ? Optional.empty()
            : ReplicaShortage.without(
                operation.topology().self(),
                operation.topology().ring().nodes(),
                parts.schema().get().keyspaces().values());
    if (shortage.isPresent()) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              MembershipException.Reason.TOO_FEW_NODES,
              "",
              "without this node there are fewer nodes than copies of each row: "
                  + shortage.get()
                  + ". Add a node first, lower the replication factor, or force it"));
    }
    operation.setStatus(NodeStatus.leaving());
    return operation
        .settle("until all nodes send the coming owners their writes", "")
        .thenCompose(settled -> operation.transferChangedRanges())
        .thenCompose(
            sent -> memory.giveBack(detail -> operation.report("delivering hints", detail)))
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

  /**
   * Moves this node to another token: fetches the ranges it gains and hands over those it loses.
   */
  public CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> progress) {
    List<byte[]> tokens = List.of(token.clone());
    return reported(progress, operation -> move(tokens, operation));
  }

  private CompletableFuture<Void> move(List<byte[]> tokens, RingOperation operation) {
    Optional<MembershipException> other = operation.otherChange();
    if (other.isPresent()) {
      return CompletableFuture.failedFuture(other.get());
    }
    if (operation.topology().self().tokens().size() != tokens.size()) {
      return refused(
          "this node has "
              + operation.topology().self().tokens().size()
              + " tokens, and only a node with one token can move: to change its tokens,"
              + " decommission it, and let it join again with an empty data directory");
    }
    Optional<String> refusal = TokenCodec.refusal(tokens);
    if (refusal.isPresent()) {
      return refused(refusal.get());
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
        .settle("until all nodes send the coming owners their writes", "")
        .thenCompose(settled -> operation.transferChangedRanges())
        .thenCompose(sent -> memory.keepTokens(tokens))
        .thenCompose(kept -> onControl(() -> nowOwns(tokens, Optional.empty())))
        .whenComplete((moved, failure) -> stayOnFailure(operation, failure));
  }

  /**
   * Moves this node to take load from the most loaded node: it leaves its place and takes the token
   * in the middle of that node's largest range. Does nothing if it has that token already.
   */
  public CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> progress) {
    return reported(
        progress,
        operation -> {
          List<RingNode> others =
              operation.topology().ring().nodes().stream()
                  .filter(node -> !node.id().equals(operation.selfId()))
                  .toList();
          if (others.isEmpty()) {
            return refused(
                "this is the only node of the ring: there is no other node to take load from");
          }
          byte[] token = new LoadBalanceTarget(operation, partitioner).middle(Ring.of(others));
          operation.report("choosing", "the token " + partitioner.printToken(token));
          List<byte[]> own = operation.topology().self().tokens();
          if (own.size() == 1 && Arrays.equals(own.get(0), token)) {
            return CompletableFuture.completedFuture(null);
          }
          return move(List.of(token), operation);
        });
  }

  /** Why cleanup cannot delete rows that belong elsewhere now; empty if it can. */
  public Optional<String> unsettled() {
    return OwnedRows.unsettled(new RingOperation(parts, progress -> {}));
  }

  /** Tells which rows of a family belong on this node, as of the moment of each call. */
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
      parts.scheduler().submit(Stage.CONTROL, () -> operation.setStatus(NodeStatus.normal()));
    }
  }

  /**
   * Removes a dead node from the ring, for good.
   *
   * @param force also if a keyspace then wants more copies of a row than there are nodes
   */
  public CompletableFuture<Void> remove(
      String nodeId, boolean force, Consumer<MembershipProgress> progress) {
    return reported(progress, operation -> removing.begin(nodeId, force, operation));
  }

  private static CompletableFuture<Void> refused(String message) {
    return CompletableFuture.failedFuture(new MembershipException(message));
  }

  private interface RingChange {
    CompletableFuture<Void> begin();
  }

  /** Runs one change of this node at a time, and announces its progress. */
  private CompletableFuture<Void> reported(
      Consumer<MembershipProgress> progress,
      Function<RingOperation, CompletableFuture<Void>> begin) {
    return alone(
        () -> {
          GossipedProgress gossiped = new GossipedProgress(parts, progress);
          return begin
              .apply(new RingOperation(parts, gossiped))
              .whenComplete((done, failure) -> gossiped.end());
        });
  }

  /** Runs one change of this node at a time. */
  private CompletableFuture<Void> alone(RingChange task) {
    return onControl(
        () -> {
          Claim turn = change.claim();
          return turn == null
              ? refused("this node is in the middle of another change of membership")
              : turn.until(Then.called(task::begin));
        });
  }

  private CompletableFuture<Void> onControl(RingChange task) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Runnable run = () -> Then.relay(Then.called(task::begin), result);
    if (!parts.scheduler().submit(Stage.CONTROL, run)) {
      result.completeExceptionally(
          new MembershipException("the node is stopping, or its control stage is full"));
    }
    return result;
  }
}
