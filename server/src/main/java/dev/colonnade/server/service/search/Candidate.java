package dev.colonnade.server.service.search;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/** A document that may match, with the postings that were read of it. For one thread. */
final class Candidate {

  private final byte[] id;
  private final TreeMap<byte[], Posting> postings = new TreeMap<>(Arrays::compareUnsigned);

  Candidate(byte[] id) {
    this.id = id;
  }

  /** The document's id. */
  byte[] id() {
    return id;
  }

  /** Adds what a super column has of the document. */
  void add(byte[] top, Posting posting) {
    postings.put(top, posting);
  }

  /** The postings by their super columns. Not to be changed. */
  SortedMap<byte[], Posting> postings() {
    return postings;
  }

  /** Whether any of the super columns has the document, in whichever version. */
  boolean isIn(SearchQuery.Clause clause) {
    return clause.tops().stream().anyMatch(postings::containsKey);
  }

  /** Whether all postings are of one version. */
  boolean isOfOneVersion() {
    return postings.values().stream().map(Posting::version).distinct().count() <= 1;
  }
}
