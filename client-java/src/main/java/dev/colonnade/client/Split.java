package dev.colonnade.client;

import dev.colonnade.admin.v1.DescribeSplitsResponse;

/**
 * A part of the ring and about how much of a family is in it.
 *
 * @param range the tokens, as {@link KeyRange#tokens} takes them, and the replicas
 * @param estimatedKeys 0 if the answering node has no copy of the range: ask one that has
 * @param estimatedBytes of data files, compressed
 */
public record Split(RingRange range, long estimatedKeys, long estimatedBytes) {

  static Split of(DescribeSplitsResponse message) {
    return new Split(
        RingRange.of(message.getRange()), message.getEstimatedKeys(), message.getEstimatedBytes());
  }
}
