package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.AsyncLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds the terms of a user that begin with a prefix: one read for each, of one column. */
final class PrefixTerms {

  private PrefixTerms() {}

  /**
   * Completes with the super columns of the terms; fails with {@link SearchException} if there are
   * too many.
   */
  static CompletableFuture<SearchQuery.Clause> of(UserRow row, byte[] prefix, int most) {
    List<byte[]> tops = new ArrayList<>();
    var last =
        new Object() {
          byte @Nullable [] top;
        };
    return AsyncLoop.whileTrue(
            () -> {
              int known = tops.size();
              if (known > most) {
                throw SearchException.tooLarge(
                    "query.prefix",
                    "the user's documents have more than "
                        + most
                        + " terms that begin so; search for a longer prefix");
              }
              return row.readFirst(
                      IndexLayout.terms(prefix, last.top),
                      cell -> {
                        last.top = cell.top();
                        tops.add(cell.top());
                      })
                  .thenApply(done -> tops.size() > known);
            })
        .thenApply(done -> SearchQuery.Clause.of(tops));
  }
}
