package dev.colonnade.server.service.search;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a document matches a query. Postings of other versions than the one that stands
 * count for nothing: the document has been changed since, or was changed twice at a time. Pure.
 */
final class MatchCheck {

  private final SearchQuery query;

  MatchCheck(SearchQuery query) {
    this.query = query;
  }

  /**
   * Whether the postings of one version meet the query.
   *
   * @param version that counts; null for any
   */
  boolean matches(Candidate candidate, @Nullable DocumentVersion version) {
    for (SearchQuery.Clause clause : query.clauses()) {
      if (clause.tops().stream().noneMatch(top -> posting(candidate, top, version) != null)) {
        return false;
      }
    }
    return query.phrase().isEmpty() || hasPhrase(candidate, version);
  }

  /** How well the postings of a version match. */
  float score(Candidate candidate, DocumentVersion version) {
    float score = 0;
    for (Posting posting : candidate.postings().values()) {
      if (posting.version().equals(version)) {
        score += posting.score();
      }
    }
    return score;
  }

  private boolean hasPhrase(Candidate candidate, @Nullable DocumentVersion version) {
    SearchQuery.PhraseTerm first = query.phrase().get(0);
    for (byte[] top : first.clause().tops()) {
      Posting posting = posting(candidate, top, version);
      if (posting != null) {
        for (int position : posting.positions()) {
          if (continuesAt(candidate, version, position)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean continuesAt(
      Candidate candidate, @Nullable DocumentVersion version, int position) {
    for (SearchQuery.PhraseTerm term : query.phrase().subList(1, query.phrase().size())) {
      boolean found = false;
      for (byte[] top : term.clause().tops()) {
        Posting posting = posting(candidate, top, version);
        found |=
            posting != null
                && Arrays.binarySearch(posting.positions(), position + term.offset()) >= 0;
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable Posting posting(
      Candidate candidate, byte[] top, @Nullable DocumentVersion version) {
    Posting posting = candidate.postings().get(top);
    return posting == null || (version != null && !posting.version().equals(version))
        ? null
        : posting;
  }
}
