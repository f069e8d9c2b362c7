package dev.colonnade.server.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Several reads at a time, never more than a bound. */
final class BoundedParallel {

  private BoundedParallel() {}

  /**
   * Answers for all items, in their order; {@code limit} items are in work at a time. Ends with the
   * first error; work that has begun by then goes on unheard.
   */
  static <T, R> CompletableFuture<List<R>> map(
      List<T> items, int limit, Function<T, CompletableFuture<R>> work) {
    List<R> results = new ArrayList<>(items.size());
    return AsyncLoop.whileTrue(
            () -> {
              int from = results.size();
              int to = Math.min(items.size(), from + limit);
              return all(items.subList(from, to), work)
                  .thenApply(
                      part -> {
                        results.addAll(part);
                        return results.size() < items.size();
                      });
            })
        .thenApply(done -> results);
  }

  /** Answers for all items, in their order, all in work at once. */
  static <T, R> CompletableFuture<List<R>> all(
      List<T> items, Function<T, CompletableFuture<R>> work) {
    CompletableFuture<List<R>> sum = CompletableFuture.completedFuture(new ArrayList<>());
    List<CompletableFuture<R>> begun = new ArrayList<>(items.size());
    for (T item : items) {
      begun.add(work.apply(item));
    }
    for (CompletableFuture<R> one : begun) {
      sum =
          sum.thenCombine(
              one,
              (list, result) -> {
                list.add(result);
                return list;
              });
    }
    return sum;
  }
}
