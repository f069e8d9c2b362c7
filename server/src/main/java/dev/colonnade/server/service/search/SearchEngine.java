package dev.colonnade.server.service.search;

import dev.colonnade.server.service.coordinator.RowStore;
import java.util.concurrent.CompletableFuture;

/** Searches of a node. Thread-safe; never blocks. */
public final class SearchEngine {

  private final Analyzers analyzers;
  private final SearchSettings limits;

  /** Creates the searches of a node. */
  public SearchEngine(Analyzers analyzers, SearchSettings limits) {
    this.analyzers = analyzers;
    this.limits = limits;
  }

  /** Prepares a search for documents by their words. */
  public CompletableFuture<TermSearch> terms(
      UserRow row, SearchText text, TermSearch.PageSpec page) {
    if (text.isEmpty()) {
      throw SearchException.invalid(
          "query", "a query asks for something: all_of, any_of, phrase, prefix or participants");
    }
    return analyzers
        .of(row.family().analyzer().orElse(Analyzers.DEFAULT))
        .thenApply(
            analyzer -> new TermSearch(row, SearchQuery.of(text, analyzer, limits), page, limits));
  }

  /** Prepares a search for what was exchanged with somebody. */
  public TermSearch interactions(UserRow row, byte[] participant, TermSearch.PageSpec page) {
    return new TermSearch(row, SearchQuery.interactions(participant, limits), page, limits);
  }

  /**
   * Removes what the search has met of versions that were replaced, in the background.
   *
   * @param durable whether the removal goes through the commit log
   */
  public void clear(TermSearch search, RowStore rows, boolean durable, long deadlineNanos) {
    LeftOvers found = search.leftOvers();
    if (found != null) {
      found.remove(rows, durable, deadlineNanos);
    }
  }
}
