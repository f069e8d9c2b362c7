package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the documents that match a query, the newest first, some in each round. The documents of
 * the clause with the fewest are looked up in the other clauses, and what is left in the list of
 * the documents' versions; no more columns are read than that takes. For one thread at a time.
 */
final class MatchReader {

  /** Documents of a round where several clauses must be met. */
  private static final int ROUND = 128;

  /** The same where positions are read, of which a document may have many. */
  private static final int ROUND_OF_PHRASES = 32;

  /** Columns that a round looks up in a clause: as many as a block of a data file has, about. */
  private static final int MAX_NAMES = 4_096;

  private final UserRow row;
  private final SearchQuery query;
  private final MatchCheck check;
  private final byte @Nullable [] after;
  private final SearchSettings limits;
  private final Set<byte[]> phraseTops = new TreeSet<>(Arrays::compareUnsigned);
  private final int round;
  private final List<Cell> ghosts = new ArrayList<>();

  private @Nullable CandidateSource source;
  private SearchQuery.@Nullable Clause driver;
  private byte @Nullable [] position;
  private boolean exhausted;
  private long examined;

  /**
   * Creates a reader.
   *
   * @param query without a prefix
   * @param limits of positions
   * @param after the document behind which to begin; null for the newest
   * @param wanted how many matches will do
   */
  MatchReader(
      UserRow row, SearchQuery query, SearchSettings limits, byte @Nullable [] after, int wanted) {
    this.row = row;
    this.query = query;
    this.limits = limits;
    this.check = new MatchCheck(query);
    this.after = after;
    this.position = after;
    query.phrase().forEach(place -> phraseTops.addAll(place.clause().tops()));
    this.exhausted = query.clauses().stream().anyMatch(clause -> clause.tops().isEmpty());
    this.round = round(wanted);
  }

  private int round(int wanted) {
    int documents = phraseTops.isEmpty() ? ROUND : Math.min(ROUND_OF_PHRASES, phraseDocuments());
    if (query.clauses().size() == 1) {
      // One more tells whether there is a next page.
      return Math.min(wanted, documents) + 1;
    }
    int most = query.clauses().stream().mapToInt(clause -> clause.tops().size()).max().orElse(1);
    return Math.max(1, Math.min(documents, MAX_NAMES / most));
  }

  /** Documents whose positions are within the limit, however many they have. */
  private int phraseDocuments() {
    long each = (long) Integer.BYTES * limits.maxPositions() * phraseTops.size();
    return (int) Math.max(1, limits.maxPhraseBytes() / each);
  }

  /** How many documents are looked at in one round. */
  int round() {
    return round;
  }

  /** How many positions of a document count; only those of a phrase do. */
  private int maxPositions(byte[] top) {
    return phraseTops.contains(top) ? limits.maxPositions() : 0;
  }

  /** Whether all matches were found. */
  boolean isExhausted() {
    return exhausted;
  }

  /** The last document that was looked at; null for none. */
  byte @Nullable [] position() {
    return position;
  }

  /** How many documents were looked at. */
  long examined() {
    return examined;
  }

  /** Removals of entries that were found to belong to versions that were replaced. */
  List<Cell> ghosts() {
    return ghosts;
  }

  /** Looks at some documents; completes with those that match, the newest first. */
  CompletableFuture<List<Match>> next(long nowSeconds) {
    if (exhausted) {
      return CompletableFuture.completedFuture(List.of());
    }
    return begin()
        .thenCompose(
            begun ->
                exhausted
                    ? CompletableFuture.completedFuture(List.of())
                    : begun.next(round).thenCompose(taken -> narrowed(begun, taken, nowSeconds)));
  }

  private CompletableFuture<List<Match>> narrowed(
      CandidateSource begun, List<Candidate> taken, long nowSeconds) {
    examined += taken.size();
    exhausted = begun.isExhausted();
    if (!taken.isEmpty()) {
      position = taken.get(taken.size() - 1).id();
    }
    List<Candidate> left = new ArrayList<>(taken);
    Iterator<SearchQuery.Clause> others =
        query.clauses().stream().filter(clause -> !clause.equals(driver)).iterator();
    return AsyncLoop.whileTrue(
            () -> {
              if (left.isEmpty() || !others.hasNext()) {
                return CompletableFuture.completedFuture(false);
              }
              SearchQuery.Clause clause = others.next();
              return lookUp(clause, left)
                  .thenApply(
                      done -> {
                        left.removeIf(candidate -> !candidate.isIn(clause));
                        return true;
                      });
            })
        .thenCompose(
            done -> {
              left.removeIf(
                  candidate -> candidate.isOfOneVersion() && !check.matches(candidate, null));
              return standing(left, nowSeconds);
            });
  }

  /**
   * Chooses the clause whose documents are looked up in the others. A clause without documents ends
   * the search with its own read.
   */
  private CompletableFuture<CandidateSource> begin() {
    CandidateSource begun = source;
    if (begun != null) {
      return CompletableFuture.completedFuture(begun);
    }
    List<SearchQuery.Clause> singles =
        query.clauses().stream().filter(clause -> clause.tops().size() == 1).toList();
    if (singles.size() <= 1) {
      SearchQuery.Clause only =
          query.clauses().stream()
              .min((a, b) -> Integer.compare(a.tops().size(), b.tops().size()))
              .orElseThrow();
      return CompletableFuture.completedFuture(begin(only, open(only)));
    }
    Iterator<SearchQuery.Clause> each = singles.iterator();
    return AsyncLoop.whileTrue(
            () -> {
              if (!each.hasNext() || exhausted) {
                return CompletableFuture.completedFuture(false);
              }
              SearchQuery.Clause clause = each.next();
              CandidateSource opened = open(clause);
              return opened
                  .fill(round)
                  .thenApply(
                      done -> {
                        CandidateSource best = source;
                        exhausted = opened.isExhausted();
                        if (best == null || opened.isSparserThan(best)) {
                          begin(clause, opened);
                        }
                        return true;
                      });
            })
        .thenApply(done -> Objects.requireNonNull(source));
  }

  private CandidateSource open(SearchQuery.Clause clause) {
    return new CandidateSource(row, clause, this::maxPositions, after);
  }

  private CandidateSource begin(SearchQuery.Clause clause, CandidateSource opened) {
    driver = clause;
    source = opened;
    return opened;
  }

  /** Adds what a clause's super columns have of the documents. */
  private CompletableFuture<Void> lookUp(SearchQuery.Clause clause, List<Candidate> documents) {
    SortedMap<byte[], Candidate> byId = byId(documents);
    Consumer<Cell> sink =
        cell -> {
          Candidate candidate = byId.get(cell.name());
          if (candidate != null) {
            Posting.of(cell, maxPositions(cell.top()))
                .ifPresent(posting -> candidate.add(cell.top(), posting));
          }
        };
    if (clause.tops().size() == 1) {
      return row.readNamed(clause.tops().get(0), List.copyOf(byId.keySet()), sink);
    }
    List<PathRange> ranges = new ArrayList<>(clause.tops().size() * documents.size());
    for (byte[] top : clause.tops()) {
      byId.keySet().forEach(id -> ranges.add(PathRange.of(top, id)));
    }
    return row.read(ranges, sink);
  }

  private SortedMap<byte[], Candidate> byId(List<Candidate> documents) {
    TreeMap<byte[], Candidate> byId = new TreeMap<>(row::compareIds);
    documents.forEach(candidate -> byId.put(candidate.id(), candidate));
    return byId;
  }

  /** Compares the documents with the versions that stand. */
  private CompletableFuture<List<Match>> standing(List<Candidate> documents, long nowSeconds) {
    TreeMap<byte[], VersionEntry> versions = new TreeMap<>(row::compareIds);
    List<Match> matches = new ArrayList<>();
    Iterator<Candidate> each = documents.iterator();
    return row.readNamed(
            IndexLayout.versions(),
            List.copyOf(byId(documents).keySet()),
            cell -> VersionEntry.of(cell).ifPresent(version -> versions.put(cell.name(), version)))
        .thenCompose(
            done ->
                AsyncLoop.whileTrue(
                    () -> {
                      while (each.hasNext()) {
                        Candidate candidate = each.next();
                        VersionEntry version = versions.get(candidate.id());
                        if (version == null) {
                          continue; // removed
                        }
                        if (check.matches(candidate, version.version())) {
                          matches.add(match(candidate, version));
                        } else if (isOfAnother(candidate, version)) {
                          return again(candidate.id(), matches, nowSeconds)
                              .thenApply(checked -> true);
                        }
                      }
                      return CompletableFuture.completedFuture(false);
                    }))
        .thenApply(done -> matches);
  }

  private static boolean isOfAnother(Candidate candidate, VersionEntry version) {
    return candidate.postings().values().stream()
        .anyMatch(posting -> !posting.version().equals(version.version()));
  }

  private Match match(Candidate candidate, VersionEntry version) {
    return new Match(
        candidate.id(),
        version.payload(),
        version.version().timestamp(),
        check.score(candidate, version.version()));
  }

  /**
   * Looks at a document once more, all that the query asks for with one read: it changed between
   * the reads, or entries of a version that was replaced are left.
   */
  private CompletableFuture<Void> again(byte[] id, List<Match> matches, long nowSeconds) {
    TreeSet<byte[]> tops = new TreeSet<>(Arrays::compareUnsigned);
    query.clauses().forEach(clause -> tops.addAll(clause.tops()));
    tops.add(IndexLayout.versions());
    Candidate candidate = new Candidate(id);
    var found =
        new Object() {
          @Nullable VersionEntry version;
        };
    return row.read(
            tops.stream().map(top -> PathRange.of(top, id)).toList(),
            cell -> {
              if (Arrays.equals(cell.top(), IndexLayout.versions())) {
                found.version = VersionEntry.of(cell).orElse(null);
              } else {
                Posting.of(cell, maxPositions(cell.top()))
                    .ifPresent(posting -> candidate.add(cell.top(), posting));
              }
            })
        .thenApply(
            done -> {
              VersionEntry version = found.version;
              if (version != null) {
                noteGhosts(candidate, version, nowSeconds);
                if (check.matches(candidate, version.version())) {
                  matches.add(match(candidate, version));
                }
              }
              return null;
            });
  }

  /**
   * Notes what an older version has left. It is removed at its own timestamp, so that this removes
   * nothing else. What has the timestamp of the version that stands is let be: on another replica
   * the same column may be of that version.
   */
  private void noteGhosts(Candidate candidate, VersionEntry version, long nowSeconds) {
    candidate
        .postings()
        .forEach(
            (top, posting) -> {
              if (posting.version().timestamp() < version.version().timestamp()) {
                ghosts.add(
                    IndexUpdate.removal(
                        top, candidate.id(), posting.version().timestamp(), nowSeconds));
              }
            });
  }
}
