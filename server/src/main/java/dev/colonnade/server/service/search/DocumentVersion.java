package dev.colonnade.server.service.search;

/**
 * Tells versions of a document apart; the greater one stands. The fingerprint decides between
 * versions of one timestamp, as it does between their cells: it is the beginning of their values,
 * and of cells with equal timestamps the one with the greater value stands. So all cells agree on
 * which version stands, whichever replica has which of them.
 *
 * @param timestamp of all of its cells
 * @param fingerprint a checksum of its content; a version that is written again has the same
 */
record DocumentVersion(long timestamp, int fingerprint) implements Comparable<DocumentVersion> {

  @Override
  public int compareTo(DocumentVersion other) {
    int byTimestamp = Long.compare(timestamp, other.timestamp);
    return byTimestamp != 0 ? byTimestamp : Integer.compareUnsigned(fingerprint, other.fingerprint);
  }
}
