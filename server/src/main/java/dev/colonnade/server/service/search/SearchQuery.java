package dev.colonnade.server.service.search;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a document must have in order to be found: an entry of each clause, and the phrase.
 *
 * @param clauses each a set of super columns, of which one is enough; a clause without any is never
 *     met
 * @param phrase the super columns of the terms of a phrase, by their distance from its beginning;
 *     empty for none
 * @param prefix the beginning of a term, for which another clause is to be found; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SearchQuery(List<Clause> clauses, List<PhraseTerm> phrase, byte[] prefix) {

  /**
   * Super columns of which one is enough.
   *
   * @param tops ascending, each once
   */
  record Clause(List<byte[]> tops) {

    static Clause of(Collection<byte[]> names) {
      TreeSet<byte[]> tops = new TreeSet<>(Arrays::compareUnsigned);
      tops.addAll(names);
      return new Clause(List.copyOf(tops));
    }
  }

  /**
   * A place of a phrase.
   *
   * @param offset from the beginning of the phrase
   * @param clause what may stand there
   */
  record PhraseTerm(int offset, Clause clause) {}

  private static final byte[] NOTHING = {};

  /** Whether it asks for nothing, and so finds nothing. */
  boolean isEmpty() {
    return clauses.isEmpty() && prefix.length == 0;
  }

  /** This query with a clause in place of its prefix. */
  SearchQuery withPrefix(Clause clause) {
    List<Clause> more = new ArrayList<>(clauses);
    more.add(clause);
    return new SearchQuery(more, phrase, NOTHING);
  }

  /** A query for what was exchanged with somebody. */
  static SearchQuery interactions(byte[] participant, SearchSettings limits) {
    IndexLimits.checkParticipant(participant, "participant", limits);
    return new SearchQuery(
        List.of(Clause.of(List.of(IndexLayout.participant(participant)))), List.of(), NOTHING);
  }

  /**
   * Cuts the texts of a query into terms.
   *
   * @throws SearchException if it is above a limit
   */
  static SearchQuery of(SearchText text, TextAnalyzer analyzer, SearchSettings limits) {
    List<Clause> clauses = new ArrayList<>();
    int i = 0;
    if (text.participants().size() > limits.maxQueryTerms()) {
      throw SearchException.tooLarge(
          "query.participants",
          "the query has "
              + text.participants().size()
              + " participants, at most "
              + limits.maxQueryTerms()
              + " are allowed");
    }
    for (byte[] participant : text.participants()) {
      IndexLimits.checkParticipant(participant, "query.participants[" + i++ + "]", limits);
      clauses.add(Clause.of(List.of(IndexLayout.participant(participant))));
    }
    // Terms at one position are different forms of one word, as synonyms are.
    clauses.addAll(terms(text.allOf(), "query.all_of", analyzer, limits).values());
    Collection<Clause> any = terms(text.anyOf(), "query.any_of", analyzer, limits).values();
    if (!any.isEmpty()) {
      clauses.add(Clause.of(any.stream().flatMap(clause -> clause.tops().stream()).toList()));
    }
    SortedMap<Integer, Clause> phrase = terms(text.phrase(), "query.phrase", analyzer, limits);
    clauses.addAll(phrase.values());
    List<PhraseTerm> places =
        phrase.size() < 2
            ? List.of()
            : phrase.entrySet().stream()
                .map(place -> new PhraseTerm(place.getKey() - phrase.firstKey(), place.getValue()))
                .toList();
    checkLength(text.prefix(), "query.prefix", limits);
    byte[] prefix = text.prefix().isEmpty() ? NOTHING : analyzer.normalize(text.prefix());
    IndexLimits.checkTerm(prefix, "query.prefix", limits);
    List<Clause> distinct = distinct(clauses);
    int terms = distinct.stream().mapToInt(clause -> clause.tops().size()).sum();
    if (terms > limits.maxQueryTerms()) {
      throw SearchException.tooLarge(
          "query",
          "the query has "
              + terms
              + " terms and participants, at most "
              + limits.maxQueryTerms()
              + " are allowed");
    }
    return new SearchQuery(distinct, places, prefix);
  }

  private static SortedMap<Integer, Clause> terms(
      String text, String field, TextAnalyzer analyzer, SearchSettings limits) {
    checkLength(text, field, limits);
    TreeMap<Integer, List<byte[]>> byPosition = new TreeMap<>();
    if (!text.isEmpty()) {
      var count =
          new Object() {
            int terms;
          };
      analyzer.analyze(
          text,
          (term, position) -> {
            IndexLimits.checkTerm(term, field, limits);
            if (++count.terms > MAX_WORDS) {
              throw SearchException.tooLarge(
                  field, "the text has more than " + MAX_WORDS + " terms; search for fewer");
            }
            byPosition
                .computeIfAbsent(position, none -> new ArrayList<>())
                .add(IndexLayout.term(term));
          });
    }
    TreeMap<Integer, Clause> clauses = new TreeMap<>();
    byPosition.forEach((position, tops) -> clauses.put(position, Clause.of(tops)));
    return clauses;
  }

  /** Refuses a text that takes long to cut, be it into no terms at all. */
  private static void checkLength(String text, String field, SearchSettings limits) {
    if (text.length() > limits.maxQueryText()) {
      throw SearchException.tooLarge(
          field,
          "the text has "
              + text.length()
              + " characters, at most "
              + limits.maxQueryText()
              + " are allowed");
    }
  }

  /** A text of a query is not cut further behind so many terms, counting repeated ones. */
  private static final int MAX_WORDS = 1_000;

  private static List<Clause> distinct(List<Clause> clauses) {
    Map<List<ByteBuffer>, Clause> distinct = new LinkedHashMap<>();
    for (Clause clause : clauses) {
      distinct.putIfAbsent(clause.tops().stream().map(ByteBuffer::wrap).toList(), clause);
    }
    return List.copyOf(distinct.values());
  }
}
