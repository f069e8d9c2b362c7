package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.RemoveTokenRequest;
import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.membership.MembershipProgress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.streaming.StreamFailedException;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.service.consistency.StorageFailures;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Runs repairs and membership changes as work that reports its progress. Thread-safe. */
final class RingAdminCalls {

  private static final String DONE = "done";

  private final RingAdmin changes;
  private final ClusterView cluster;
  private final RpcContext rpc;

  RingAdminCalls(RingAdmin changes, ClusterView cluster, RpcContext rpc) {
    this.changes = changes;
    this.cluster = cluster;
    this.rpc = rpc;
  }

  /**
   * Runs a repair.
   *
   * @param mismatched set to the number of parts of ranges that differed so far
   */
  CompletableFuture<Void> repair(
      RepairRequest request,
      List<ColumnFamily> families,
      AtomicLong mismatched,
      Consumer<WorkProgress> progress) {
    Optional<TokenRange> within =
        request.hasRange()
            ? Optional.of(
                new TokenRange(
                    token("range.start_token", request.getRange().getStartToken()),
                    token("range.end_token", request.getRange().getEndToken())))
            : Optional.empty();
    CompletableFuture<RepairProgress> work =
        changes.repair(
            families,
            within,
            request.getDryRun(),
            news -> {
              mismatched.set(news.mismatchedRanges());
              progress.accept(
                  new WorkProgress("comparing", news.done(), news.total(), news.detail()));
            });
    CompletableFuture<Void> answer = new CompletableFuture<>();
    Then.whenDone(
        work,
        (news, failure) -> {
          if (failure == null) {
            mismatched.set(news.mismatchedRanges());
            progress.accept(new WorkProgress(DONE, news.total(), news.total(), summary(news)));
            answer.complete(null);
          } else {
            answer.completeExceptionally(translated(failure));
          }
        });
    withdrawTogether(answer, work);
    return answer;
  }

  private static void withdrawTogether(CompletableFuture<?> answer, CompletableFuture<?> work) {
    Then.whenDone(
        answer,
        (done, failure) -> {
          if (answer.isCancelled()) {
            work.cancel(false);
          }
        });
  }

  private static String summary(RepairProgress news) {
    return news.mismatchedRanges()
        + " parts differed, "
        + news.movedRows()
        + " rows were sent, "
        + news.skippedReplicas()
        + " replicas were down";
  }

  CompletableFuture<Void> decommission(boolean force, Consumer<WorkProgress> progress) {
    return finished(changes.decommission(force, reported(progress)), progress);
  }

  CompletableFuture<Void> move(String token, Consumer<WorkProgress> progress) {
    return finished(changes.move(token("new_token", token), reported(progress)), progress);
  }

  CompletableFuture<Void> loadBalance(Consumer<WorkProgress> progress) {
    return finished(changes.loadBalance(reported(progress)), progress);
  }

  CompletableFuture<Void> cleanUp(List<ColumnFamily> families, Consumer<WorkProgress> progress) {
    CompletableFuture<Void> work = changes.cleanUp(families, progress);
    CompletableFuture<Void> answer =
        work.exceptionallyCompose(failure -> CompletableFuture.failedFuture(translated(failure)));
    withdrawTogether(answer, work);
    return answer;
  }

  CompletableFuture<Void> remove(RemoveTokenRequest request, Consumer<WorkProgress> progress) {
    return finished(
        changes.remove(nodeId(request), request.getForce(), reported(progress)), progress);
  }

  private String nodeId(RemoveTokenRequest request) {
    String field = request.getNodeId().isEmpty() ? "token" : "node_id";
    String wanted = request.getNodeId().isEmpty() ? request.getToken() : request.getNodeId();
    for (Topology.Place place : cluster.topology().places()) {
      boolean found =
          field.equals("node_id")
              ? place.node().id().equals(wanted)
              : place.node().tokens().stream()
                  .anyMatch(token -> cluster.partitioner().printToken(token).equals(wanted));
      if (found) {
        return place.node().id();
      }
    }
    throw RequestRefusal.invalid(
        field,
        "no node of the ring has " + EchoedText.quoted(wanted) + "; DescribeRing lists them");
  }

  private byte[] token(String field, String text) {
    return rpc.keyRanges().token(field, text);
  }

  private static Consumer<MembershipProgress> reported(Consumer<WorkProgress> progress) {
    return news ->
        progress.accept(new WorkProgress(news.phase(), news.done(), news.total(), news.detail()));
  }

  /** The end of a change, which continues even if its caller has gone. */
  private static CompletableFuture<Void> finished(
      CompletableFuture<Void> change, Consumer<WorkProgress> progress) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    Then.whenDone(
        change,
        (done, failure) -> {
          if (failure == null) {
            progress.accept(new WorkProgress(DONE, 0, 0, ""));
            answer.complete(null);
          } else {
            answer.completeExceptionally(translated(failure));
          }
        });
    return answer;
  }

  private static Throwable translated(Throwable failure) {
    Throwable cause = Errors.unwrap(failure);
    if (cause instanceof MembershipException refused
        && refused.reason() == MembershipException.Reason.TOO_FEW_NODES) {
      return RequestRefusal.precondition(
          ErrorReasons.NOT_ENOUGH_NODES, null, String.valueOf(refused.getMessage()), Map.of());
    }
    return cause instanceof MembershipException
            || cause instanceof PeerFailure
            || cause instanceof StreamFailedException
            || cause instanceof IllegalStateException
        ? RequestRefusal.precondition(
            ErrorReasons.RING_CHANGE_FAILED, null, String.valueOf(cause.getMessage()), Map.of())
        : StorageFailures.translate(cause);
  }
}
