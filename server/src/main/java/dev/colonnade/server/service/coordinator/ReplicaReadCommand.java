package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.storage.engine.ReadResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A read of a row or a range of rows, as sent to replicas, and how their answers are resolved.
 * Thread-safe.
 *
 * @param <F> what one replica has
 * @param <M> what all of them have together
 */
interface ReplicaReadCommand<F, M> {

  /** Reads this node's store. */
  CompletableFuture<ReadResponse<F>> here();

  /** The verb of the request to another node. */
  Verb verb(boolean digestOnly);

  /** The body of the request to another node; encoded once. */
  byte[] body(boolean digestOnly);

  /** Decodes another node's data. */
  ReadResponse<F> decode(byte[] body) throws CorruptDataException;

  /** The digest that another node with the same content answers. */
  Hash128 digest(F fragment);

  /** The answer of a replica that has nothing. */
  F nothing();

  /** Resolves the answers; there is at least one. */
  ResolvedRead<M> join(List<F> fragments);
}
