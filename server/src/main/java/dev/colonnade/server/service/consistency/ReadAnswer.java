package dev.colonnade.server.service.consistency;

import dev.colonnade.server.storage.engine.ReadResponse;

/**
 * The answer to one read command: what this node's store has, or what several replicas agree on.
 *
 * @param result a page
 * @param cost of the replicas whose data was used
 */
public record ReadAnswer<T>(T result, CallCost cost) {

  /** The answer of this node's store. */
  static <T> ReadAnswer<T> of(ReadResponse<T> read, AskedReplicas asked) {
    return new ReadAnswer<>(read.result(), CallCost.of(asked, read.figures(), read.tombstones()));
  }
}
