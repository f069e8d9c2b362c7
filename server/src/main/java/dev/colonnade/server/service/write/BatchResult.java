package dev.colonnade.server.service.write;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Combines the results of a batch's rows into one. Each row is written by itself. */
public final class BatchResult {

  private BatchResult() {}

  /**
   * Completes when all rows have, with the nodes of all of them. If rows failed, it fails with the
   * failure that says most about what was applied: a row with unknown result comes before a row
   * that was refused. The batch counts as refused only if all its rows were.
   */
  public static CompletableFuture<AskedReplicas> joined(
      List<CompletableFuture<AskedReplicas>> rows) {
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
      Throwable failure = Errors.unwrap(row.handle((done, thrown) -> thrown).getNow(any));
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

  /** Whether nothing of the row was or will be applied. */
  private static boolean isRefusal(CoordinationException failure) {
    return failure instanceof CoordinationException.Overloaded
        || failure instanceof CoordinationException.DiskFull
        || failure instanceof CoordinationException.TooLarge
        || failure instanceof CoordinationException.NodeNotReady;
  }
}
