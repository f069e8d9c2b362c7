package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.ReplicaShortage;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Removes a dead node from the ring: the new owners of its ranges fetch the rows from the nodes
 * that have them, each for itself, and then the node is declared to be gone.
 *
 * <ul>
 *   <li>While this goes on the dead node counts as leaving, so the new owners get all writes.
 *   <li>If the node that coordinates the removal dies, nothing has changed, and the removal can be
 *       started again.
 * </ul>
 */
final class NodeRemoval {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /** How many requests in a row a node that is up may leave unanswered. */
  private static final int MISSED_MAX = 10;

  /**
   * Asks a new owner to fetch what it takes over, or how far it is.
   *
   * @param nodeId of the dead node
   * @param attempt which removal
   */
  record FetchRequest(String nodeId, String attempt) {}

  /** How far a new owner is. */
  enum FetchState {
    RUNNING,
    DONE
  }

  /**
   * A fetch of this node for the removal of another.
   *
   * @param attempt which removal; rows that were fetched for a failed one are stale for the next
   */
  private record Fetch(String attempt, CompletableFuture<Void> done) {}

  /**
   * A removal while the new owners fetch.
   *
   * @param left nodes that may not be done yet
   * @param missed how many answers in a row got lost, by the node's id
   */
  private record PendingFetches(
      String nodeId,
      String attempt,
      Deque<RingNode> left,
      Map<String, Integer> missed,
      RingOperation operation) {}

  /** What this node fetches for the removal of others, by their ids. */
  private final Map<String, Fetch> fetches = new TreeMap<>();

  private final RingOperation.OperationContext context;
  private final Messenger messenger;

  NodeRemoval(RingOperation.OperationContext context, Messenger messenger) {
    this.context = context;
    this.messenger = messenger;
  }

  /**
   * Removes a node; it must be down.
   *
   * @param force also if a keyspace then wants more copies of a row than there are nodes
   */
  CompletableFuture<Void> begin(String nodeId, boolean force, RingOperation operation) {
    Optional<Topology.Place> place = operation.topology().place(nodeId);
    if (place.isEmpty()) {
      return refused("there is no node " + nodeId + " in the ring");
    }
    if (place.get().alive()) {
      return refused(
          "node "
              + nodeId
              + " is up: only a node that is down can be removed. One that is up leaves by"
              + " decommission");
    }
    Optional<MembershipException> other = operation.otherChangeThan(nodeId);
    if (other.isPresent()) {
      return CompletableFuture.failedFuture(other.get());
    }
    RingNode node = place.get().node();
    Peer dead = new Peer(nodeId, new PeerAddress(node.address(), node.peerPort()));
    if (place.get().state() == Topology.RingState.JOINING) {
      // The node has owned nothing yet that others would have to take over.
      context.gossiper().remove(dead, operation.departureExpiryMillis());
      return CompletableFuture.completedFuture(null);
    }
    Optional<String> shortage =
        force
            ? Optional.empty()
            : ReplicaShortage.without(
                node,
                operation.topology().ring().nodes(),
                context.schema().get().keyspaces().values());
    if (shortage.isPresent()) {
      return CompletableFuture.failedFuture(
          new MembershipException(
              MembershipException.Reason.TOO_FEW_NODES,
              nodeId,
              "without node "
                  + nodeId
                  + " there are fewer nodes than copies of each row: "
                  + shortage.get()
                  + ". Replace it with a new node (--replace "
                  + nodeId
                  + "), add a node first, lower the replication factor, or force it"));
    }
    Optional<String> owner = downNewOwner(nodeId, operation);
    if (owner.isPresent()) {
      return refused(owner.get());
    }
    context.gossiper().set(ApplicationState.REMOVING, nodeId);
    String attempt = operation.selfId() + " " + context.clock().wallMicros();
    CompletableFuture<Void> removed =
        operation
            .settle("until all nodes send the coming owners their writes", dead.id())
            .thenCompose(settled -> requestFetches(nodeId, attempt, operation))
            .thenAccept(
                done -> {
                  context.gossiper().remove(dead, operation.departureExpiryMillis());
                  fetches.remove(nodeId);
                });
    return removed.whenComplete(
        (done, failure) -> context.gossiper().set(ApplicationState.REMOVING, ""));
  }

  private static CompletableFuture<Void> refused(String message) {
    return CompletableFuture.failedFuture(new MembershipException(message));
  }

  /**
   * Why the removal cannot ensure enough copies of the rows: a new owner is down, and cannot fetch
   * them.
   */
  private static Optional<String> downNewOwner(String nodeId, RingOperation operation) {
    Ring now = operation.topology().ring();
    List<RingNode> others = now.nodes().stream().filter(node -> !node.id().equals(nodeId)).toList();
    return others.isEmpty()
        ? Optional.empty()
        : operation
            .downGainer(now, Ring.of(others))
            .map(
                owner ->
                    "node "
                        + owner.id()
                        + " at "
                        + owner.address()
                        + " would own rows of node "
                        + nodeId
                        + " but cannot fetch them: it is down, too. Start it, or replace it with a"
                        + " new node (--replace "
                        + owner.id()
                        + "), and try again");
  }

  private CompletableFuture<Void> requestFetches(
      String nodeId, String attempt, RingOperation operation) {
    Optional<String> owner = downNewOwner(nodeId, operation);
    if (owner.isPresent()) {
      return refused(owner.get());
    }
    Deque<RingNode> left = new ArrayDeque<>();
    for (RingNode node : operation.topology().ring().nodes()) {
      if (!node.id().equals(nodeId) && operation.topology().isAlive(node.id())) {
        left.add(node);
      }
    }
    return pollNext(new PendingFetches(nodeId, attempt, left, new TreeMap<>(), operation));
  }

  /**
   * Requests the start of one node after the other; the first ones fetch while others are asked.
   */
  private CompletableFuture<Void> pollNext(PendingFetches pending) {
    RingNode node = pending.left().poll();
    if (node == null) {
      return CompletableFuture.completedFuture(null);
    }
    RingOperation operation = pending.operation();
    operation.report("fetching", "node " + node.id() + " fetches what it takes over");
    CompletableFuture<FetchState> answer;
    if (node.id().equals(operation.selfId())) {
      answer = fetch(pending.nodeId(), pending.attempt());
    } else {
      Optional<Member> member = context.gossiper().members().byId(node.id());
      if (member.isEmpty()) {
        return refused(
            "node " + node.id() + " left the ring while a node was being removed; try again");
      }
      answer = request(member.get().peer(), pending);
    }
    return answer.thenCompose(
        state -> {
          if (state == FetchState.DONE) {
            return pollNext(pending);
          }
          pending.left().addLast(node);
          return operation.pause(POLL_INTERVAL).thenCompose(passed -> pollNext(pending));
        });
  }

  /** A request may be repeated: a lost answer is no reason to start over. */
  private CompletableFuture<FetchState> request(Peer peer, PendingFetches pending) {
    CompletableFuture<FetchState> state = new CompletableFuture<>();
    Then.whenDone(
        messenger.request(
            peer,
            Verb.MEMBERSHIP,
            RemovalCodec.encode(new FetchRequest(pending.nodeId(), pending.attempt())),
            context.clock().monotonicNanos() + ANSWER_LIMIT.toNanos()),
        state,
        (answer, failure) -> {
          if (failure == null) {
            pending.missed().remove(peer.id());
            state.complete(decode(answer, peer));
          } else if (mayRetry(peer, pending, failure)) {
            state.complete(FetchState.RUNNING);
          } else {
            state.completeExceptionally(failure);
          }
        });
    return state;
  }

  private static FetchState decode(byte[] answer, Peer peer) {
    try {
      return RemovalCodec.decodeState(answer);
    } catch (CorruptDataException e) {
      throw new PeerFailure(
          PeerFailure.Code.PROTOCOL, "the answer of " + peer + ": " + e.getMessage(), e);
    }
  }

  private static boolean mayRetry(Peer peer, PendingFetches pending, Throwable failure) {
    return isLost(failure)
        && pending.missed().merge(peer.id(), 1, Integer::sum) < MISSED_MAX
        && pending.operation().topology().isAlive(peer.id());
  }

  private static boolean isLost(Throwable failure) {
    return failure instanceof PeerFailure peerFailure
        && switch (peerFailure.code()) {
          case TIMED_OUT, NOT_SENT, LOST, OVERLOADED -> true;
          default -> false;
        };
  }

  /**
   * Handles the request of a node that removes another one: fetches what this node takes over, or
   * reports the progress.
   */
  CompletableFuture<byte[]> handle(Request request) {
    FetchRequest message;
    try {
      message = RemovalCodec.decodeRequest(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "a request of a node's removal: " + e.getMessage(), e));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Runnable task =
        () -> {
          Then.whenDone(
              fetch(message.nodeId(), message.attempt()),
              answer,
              (state, failure) -> {
                if (failure == null) {
                  answer.complete(RemovalCodec.encode(state));
                } else {
                  answer.completeExceptionally(
                      new PeerFailure(
                          PeerFailure.Code.REFUSED, String.valueOf(failure.getMessage()), failure));
                }
              });
        };
    if (!context.scheduler().submit(Stage.CONTROL, task)) {
      answer.completeExceptionally(
          new PeerFailure(PeerFailure.Code.OVERLOADED, "the control stage is full"));
    }
    return answer;
  }

  private CompletableFuture<FetchState> fetch(String nodeId, String attempt) {
    Fetch known = fetches.get(nodeId);
    if (known != null && !known.attempt().equals(attempt)) {
      known.done().cancel(false);
      known = null;
    }
    CompletableFuture<Void> running = known == null ? null : known.done();
    if (running == null) {
      RingOperation operation = new RingOperation(context, progress -> {});
      Topology topology = operation.topology();
      Optional<Topology.Place> dead = topology.place(nodeId);
      if (dead.isEmpty()) {
        // The node is not on this node's ring, so there is nothing to take over.
        return CompletableFuture.completedFuture(FetchState.DONE);
      }
      boolean leaving =
          dead.map(place -> place.state() == Topology.RingState.LEAVING && !place.alive())
              .orElse(false);
      if (!leaving) {
        return CompletableFuture.failedFuture(
            new MembershipException(
                "node " + nodeId + " is not being removed, as far as is known"));
      }
      running = operation.fetchGainedRanges(topology.ring(), topology.future());
      fetches.put(nodeId, new Fetch(attempt, running));
    }
    if (!running.isDone()) {
      return CompletableFuture.completedFuture(FetchState.RUNNING);
    }
    if (running.isCompletedExceptionally()) {
      fetches.remove(nodeId);
      return running.thenApply(never -> FetchState.RUNNING);
    }
    return CompletableFuture.completedFuture(FetchState.DONE);
  }
}
