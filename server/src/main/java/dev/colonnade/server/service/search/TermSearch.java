package dev.colonnade.server.service.search;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One page of a search, found in steps of bounded work, so that its caller can let others have
 * their turn between them. For one thread at a time; never blocks.
 */
public final class TermSearch {

  /**
   * What a page is.
   *
   * @param bestFirst by score, and not by id
   * @param hits the most of them
   * @param after where the page before ended; empty for the first
   * @param nowSeconds of the wall clock
   */
  public record PageSpec(
      boolean bestFirst, int hits, Optional<SearchPosition> after, long nowSeconds) {}

  private final UserRow row;
  private final PageSpec page;
  private final SearchSettings limits;
  private final Comparator<Match> bestFirst;
  private final PriorityQueue<Match> best;
  private final List<Match> hits = new ArrayList<>();

  private SearchQuery query;
  private @Nullable MatchReader reader;
  private @Nullable SearchPosition next;
  private long ranked;
  private int bytes;

  TermSearch(UserRow row, SearchQuery query, PageSpec page, SearchSettings limits) {
    this.row = row;
    this.query = query;
    this.page = page;
    this.limits = limits;
    this.bestFirst =
        Comparator.<Match>comparingDouble(Match::score)
            .reversed()
            .thenComparing((a, b) -> row.compareIds(b.id(), a.id()));
    this.best = new PriorityQueue<>(bestFirst.reversed());
  }

  /** Finds some more; completes with whether there is more to do. */
  public CompletableFuture<Boolean> step() {
    if (query.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    if (query.prefix().length > 0) {
      return PrefixTerms.of(row, query.prefix(), limits.maxPrefixTerms())
          .thenApply(
              clause -> {
                query = query.withPrefix(clause);
                return true;
              });
    }
    MatchReader from = reader();
    return from.next(page.nowSeconds())
        .thenApply(found -> page.bestFirst() ? rank(from, found) : list(from, found));
  }

  private MatchReader reader() {
    MatchReader known = reader;
    if (known == null) {
      byte[] after = page.bestFirst() ? null : page.after().map(SearchPosition::id).orElse(null);
      known =
          new MatchReader(
              row, query, limits, after, page.bestFirst() ? limits.maxRanked() : page.hits());
      reader = known;
    }
    return known;
  }

  private boolean list(MatchReader from, List<Match> found) {
    for (Match match : found) {
      if (hits.size() == page.hits() || bytes >= limits.maxPageBytes()) {
        next = new SearchPosition(hits.get(hits.size() - 1).id(), 0);
        return false;
      }
      hits.add(match);
      bytes += match.bytes();
    }
    if (from.isExhausted()) {
      next = null;
      return false;
    }
    byte[] position = from.position();
    next = position == null ? page.after().orElse(null) : new SearchPosition(position, 0);
    return hits.size() < page.hits()
        && bytes < limits.maxPageBytes()
        && from.examined() < limits.maxExamined();
  }

  private boolean rank(MatchReader from, List<Match> found) {
    for (Match match : found) {
      if (ranked == limits.maxRanked()) {
        break;
      }
      ranked++;
      if (isBehindPageBefore(match)) {
        best.add(match);
        if (best.size() > page.hits() + 1) {
          best.remove();
        }
      }
    }
    if (!from.isExhausted() && ranked < limits.maxRanked()) {
      return true;
    }
    List<Match> inOrder = new ArrayList<>(best);
    inOrder.sort(bestFirst);
    for (Match match : inOrder) {
      if (hits.size() == page.hits() || bytes >= limits.maxPageBytes()) {
        Match last = hits.get(hits.size() - 1);
        next = new SearchPosition(last.id(), last.score());
        break;
      }
      hits.add(match);
      bytes += match.bytes();
    }
    return false;
  }

  private boolean isBehindPageBefore(Match match) {
    return page.after().isEmpty()
        || bestFirst.compare(
                new Match(page.after().get().id(), new byte[0], 0, page.after().get().score()),
                match)
            < 0;
  }

  /** What was found; complete once {@link #step} has completed with false. */
  public List<Match> hits() {
    return hits;
  }

  /** Where the next page begins; empty after the last one. */
  public Optional<SearchPosition> next() {
    return Optional.ofNullable(next);
  }

  /** The row that is searched, which knows what the search has cost. */
  public UserRow row() {
    return row;
  }

  /** The change that removes left-over entries that the search has met; null for none. */
  @Nullable LeftOvers leftOvers() {
    MatchReader from = reader;
    return from == null || from.ghosts().isEmpty() ? null : new LeftOvers(row, from.ghosts());
  }
}
