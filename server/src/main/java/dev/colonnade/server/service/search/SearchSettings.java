package dev.colonnade.server.service.search;

/**
 * The limits of the search service. Each protects the node's memory or its time from one document
 * or one query.
 *
 * @param maxTextBytes longest text of a document in UTF-8, all parts together: cutting a MiB into
 *     terms takes some ten milliseconds
 * @param maxTerms most different terms of a document: each is a column of the mutation, of which a
 *     request may have 100,000
 * @param maxTermBytes longest term: Lucene's own tokenizers cut at 255 characters, so only an
 *     analyzer that does not cut, or a plug-in, makes longer ones
 * @param maxPositions positions that are kept of a term in a document; phrases are not found beyond
 *     them. With it a posting stays below 32 KiB
 * @param maxEntriesBytes longest list of a document's terms as encoded; it is one value, which has
 *     at most 2 MiB
 * @param maxParticipants most participants of a document
 * @param maxParticipantBytes longest participant: a name with its prefix has at most 65,535 bytes
 * @param maxPayloadBytes longest payload, which each hit carries
 * @param maxDocumentBytes most bytes of a document's columns, each of which has the document's id:
 *     together with the removal of the version before they are one record of the commit log, which
 *     has at most 64 MiB
 * @param maxQueryText longest text of a query, in characters: cutting it takes some milliseconds
 * @param maxQueryTerms most terms and participants of a query; each is read apart
 * @param maxPhraseBytes of positions of the documents that are compared with a phrase at once: the
 *     more words a phrase has, the fewer documents these are, but one at least. Documents that are
 *     read ahead may hold twice as much
 * @param maxPrefixTerms most terms that a prefix stands for
 * @param defaultPageHits hits of a page if the request does not say
 * @param defaultChunkHits hits of a stream's message if the request does not say
 * @param maxPageHits most hits that a request may ask for at once
 * @param maxPageBytes a page ends when its hits take this much
 * @param maxExamined postings that are read for one page of the newest hits; a page may be empty
 *     because of this bound, and the next one goes on
 * @param maxRanked matching documents, the newest ones, that are ranked for the best hits
 */
public record SearchSettings(
    int maxTextBytes,
    int maxTerms,
    int maxTermBytes,
    int maxPositions,
    int maxEntriesBytes,
    int maxParticipants,
    int maxParticipantBytes,
    int maxPayloadBytes,
    int maxDocumentBytes,
    int maxQueryText,
    int maxQueryTerms,
    int maxPhraseBytes,
    int maxPrefixTerms,
    int defaultPageHits,
    int defaultChunkHits,
    int maxPageHits,
    int maxPageBytes,
    int maxExamined,
    int maxRanked) {

  /** Each is explained above. */
  public static final SearchSettings DEFAULT =
      new SearchSettings(
          1 << 20, 50_000, 1_024, 10_000, 2 << 20, 1_000, 65_000, 4_096, 24 << 20, 64 << 10, 64,
          8 << 20, 256, 20, 100, 1_000, 1 << 20, 20_000, 10_000);
}
