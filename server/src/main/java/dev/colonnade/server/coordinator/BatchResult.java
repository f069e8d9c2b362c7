package dev.colonnade.server.coordinator;

import dev.colonnade.server.async.Then;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Makes one outcome of those of a batch's rows, each of which is written by itself. */
final class BatchResult {

  private BatchResult() {}

  /**
   * Completes when all have, with the nodes of all of them. Where some failed it fails with what
   * says most of what was applied: a row of which that is not known, before one that was refused;
   * and a refusal is told as one only if all rows were refused.
   */
  static CompletableFuture<AskedReplicas> joined(List<CompletableFuture<AskedReplicas>> rows) {
    if (rows.size() == 1) {
      return rows.get(0);
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(rows.toArray(new CompletableFuture<?>[0]));
    if (all.isDone() && !all.isCompletedExceptionally()) {
      return CompletableFuture.completedFuture(replicas(rows));
    }
    CompletableFuture<AskedReplicas> joined = new CompletableFuture<>();
    Then.whenDone(
        all,
        joined,
        (done, failure) -> {
          if (failure == null) {
            joined.complete(replicas(rows));
          } else {
            joined.completeExceptionally(verdict(rows, failure));
          }
        });
    return joined;
  }

  private static AskedReplicas replicas(List<CompletableFuture<AskedReplicas>> rows) {
    AskedReplicas all = AskedReplicas.NONE;
    for (CompletableFuture<AskedReplicas> row : rows) {
      all = all.plus(row.getNow(AskedReplicas.NONE));
    }
    return all;
  }

  private static Throwable verdict(List<CompletableFuture<AskedReplicas>> rows, Throwable any) {
    CoordinationException refusal = null;
    int refused = 0;
    for (CompletableFuture<AskedReplicas> row : rows) {
      if (!row.isCompletedExceptionally()) {
        continue;
      }
      Throwable failure = PeerFailures.cause(row.handle((done, thrown) -> thrown).getNow(any));
      if (!(failure instanceof CoordinationException known) || !isRefusal(known)) {
        return failure;
      }
      refusal = refusal == null ? known : refusal;
      refused++;
    }
    if (refusal == null) {
      return any;
    }
    return refused == rows.size()
        ? refusal
        : new CoordinationException.PartlyApplied(rows.size(), refused, refusal);
  }

  /** Whether nothing of the row was applied, and nothing will be. */
  private static boolean isRefusal(CoordinationException failure) {
    return failure instanceof CoordinationException.Overloaded
        || failure instanceof CoordinationException.DiskFull
        || failure instanceof CoordinationException.TooLarge
        || failure instanceof CoordinationException.NodeNotReady;
  }
}
