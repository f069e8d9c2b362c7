package dev.colonnade.server.service.search;

/**
 * A document that was found.
 *
 * @param timestamp of the version that was found
 * @param score the sum of its terms' scores
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Match(byte[] id, byte[] payload, long timestamp, float score) {

  /** About how many bytes it takes in an answer. */
  int bytes() {
    return id.length + payload.length + 32;
  }
}
