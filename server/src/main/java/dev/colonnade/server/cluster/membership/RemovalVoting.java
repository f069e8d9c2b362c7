package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.Removal;
import dev.colonnade.server.cluster.gossip.RemovalBallots;
import dev.colonnade.server.cluster.gossip.RemovalBallots.RemovalVote;
import dev.colonnade.server.cluster.gossip.RemovalVotes;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks the members whether a node may be removed, and declares it gone once a majority agrees.
 * Where nodes have no certificates none is asked. For CONTROL.
 */
final class RemovalVoting {

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /** How many of those who did not agree a refusal names. */
  private static final int NAMED_MAX = 10;

  private final RingOperation.OperationContext context;
  private final Messenger messenger;
  private final RemovalBallots ballots;

  private static final RemovalVote NONE = no("it has not answered");

  /** A vote that is under way. */
  private record Ballot(String voterId, CompletableFuture<RemovalVote> vote) {}

  RemovalVoting(RingOperation.OperationContext context, Messenger messenger) {
    this.context = context;
    this.messenger = messenger;
    this.ballots = context.gossiper().ballots();
  }

  /** Declares a node gone that a majority of the members finds down. */
  CompletableFuture<Void> remove(Peer dead, long expiryMillis) {
    return collect(dead.id(), expiryMillis)
        .thenAccept(votes -> context.gossiper().remove(dead, expiryMillis, votes));
  }

  /**
   * Collects the votes of the members, on CONTROL. Fails if they are no majority.
   *
   * @return empty if no votes are needed
   */
  CompletableFuture<Optional<RemovalVotes>> collect(String nodeId, long expiryMillis) {
    if (ballots.isOwnWordEnough(nodeId)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Removal removal =
        ballots.removal(
            nodeId, TimeUnit.MICROSECONDS.toMillis(context.clock().wallMicros()), expiryMillis);
    List<String> voters = ballots.voterIds(removal);
    List<Ballot> cast = voters.stream().map(id -> new Ballot(id, ask(id, removal))).toList();
    CompletableFuture<Optional<RemovalVotes>> result = new CompletableFuture<>();
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            cast.stream().map(Ballot::vote).toArray(CompletableFuture<?>[]::new));
    Then.whenDone(
        all,
        result,
        (done, failure) -> {
          Runnable count = () -> Then.relay(Then.called(() -> count(removal, cast)), result);
          if (!context.scheduler().submit(Stage.CONTROL, count)) {
            result.completeExceptionally(
                new MembershipException("the node is stopping, or its control stage is full"));
          }
        });
    return result;
  }

  private CompletableFuture<Optional<RemovalVotes>> count(Removal removal, List<Ballot> cast) {
    SortedMap<String, byte[]> signatures = new TreeMap<>();
    List<String> against = new ArrayList<>();
    for (Ballot ballot : cast) {
      RemovalVote vote = ballot.vote().getNow(NONE);
      vote.signature().ifPresent(signature -> signatures.put(ballot.voterId(), signature));
      if (vote.signature().isEmpty()) {
        against.add("node " + ballot.voterId() + " (" + vote.refusal() + ")");
      }
    }
    List<String> voters = cast.stream().map(Ballot::voterId).toList();
    return ballots.isMajority(signatures, voters)
        ? CompletableFuture.completedFuture(Optional.of(new RemovalVotes(removal, signatures)))
        : CompletableFuture.failedFuture(
            new MembershipException(
                MembershipException.Reason.OTHER,
                removal.nodeId(),
                refusal(removal.nodeId(), signatures.size(), voters.size(), against)));
  }

  private static String refusal(String nodeId, int votes, int voters, List<String> against) {
    int more = against.size() - NAMED_MAX;
    return "node "
        + nodeId
        + " is not removed: "
        + votes
        + " of the "
        + voters
        + " other nodes of the ring agree, and more than half of them have to. These do not: "
        + String.join(", ", against.subList(0, Math.min(NAMED_MAX, against.size())))
        + (more > 0 ? " and " + more + " more" : "")
        + ". Wait until all of them find it down, start those that are down, and try again";
  }

  private CompletableFuture<RemovalVote> ask(String voterId, Removal removal) {
    if (voterId.equals(messenger.self().id())) {
      return CompletableFuture.completedFuture(ballots.vote(removal, voterId));
    }
    Optional<Member> voter = context.gossiper().members().byId(voterId).filter(Member::alive);
    if (voter.isEmpty()) {
      return CompletableFuture.completedFuture(no("it is down"));
    }
    CompletableFuture<RemovalVote> vote = new CompletableFuture<>();
    Then.whenDone(
        messenger.request(
            voter.get().peer(),
            Verb.REMOVAL_VOTE,
            RemovalCodec.encode(removal),
            context.clock().monotonicNanos() + ANSWER_LIMIT.toNanos()),
        vote,
        (answer, failure) ->
            vote.complete(
                failure == null
                    ? decode(answer)
                    : no("it does not answer: " + failure.getMessage())));
    return vote;
  }

  private static RemovalVote decode(byte[] answer) {
    try {
      return RemovalCodec.decodeVote(answer);
    } catch (CorruptDataException e) {
      return no("its answer cannot be read: " + e.getMessage());
    }
  }

  private static RemovalVote no(String refusal) {
    return new RemovalVote(Optional.empty(), refusal);
  }

  /** Handles the request of a node that removes another one. */
  CompletableFuture<byte[]> handle(Request request) {
    Removal removal;
    try {
      removal = RemovalCodec.decodeRemoval(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "a request to agree to a removal: " + e.getMessage(), e));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Runnable task =
        () ->
            Then.onBehalfOf(
                answer,
                () ->
                    answer.complete(
                        RemovalCodec.encode(ballots.vote(removal, request.from().id()))));
    if (!context.scheduler().submit(Stage.CONTROL, task)) {
      answer.completeExceptionally(
          new PeerFailure(PeerFailure.Code.OVERLOADED, "the control stage is full"));
    }
    return answer;
  }
}
