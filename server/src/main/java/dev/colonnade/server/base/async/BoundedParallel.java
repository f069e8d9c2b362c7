package dev.colonnade.server.base.async;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Runs several reads at a time, up to a limit. */
public final class BoundedParallel {

  private BoundedParallel() {}

  /**
   * Returns answers for all items, in their order, with {@code limit} items in progress at a time.
   * Fails with the first error; work already started continues, and its result is ignored.
   */
  public static <T, R> CompletableFuture<List<R>> map(
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

  /** Returns answers for all items, in their order, with all items in progress at once. */
  public static <T, R> CompletableFuture<List<R>> all(
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
