package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.storage.mutation.Mutation;

/**
 * A write that its target missed.
 *
 * @param createdMicros when it was kept, by this node's wall clock
 * @param encoded the mutation as it stands in the segment
 * @param mutation the same, decoded
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record Hint(long createdMicros, byte[] encoded, Mutation mutation) {

  /** The age of the write, in whole seconds; it can be older than the hint. */
  long ageSeconds(long nowSeconds) {
    return nowSeconds - Math.min(mutation.nowSeconds(), Math.floorDiv(createdMicros, 1_000_000L));
  }
}
