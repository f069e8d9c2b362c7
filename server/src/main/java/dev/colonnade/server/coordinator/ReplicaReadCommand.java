package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.Hash128;
import dev.colonnade.server.engine.FragmentRead;
import dev.colonnade.server.net.Verb;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What replicas are asked about a row, or about rows of a range, and how their answers are joined.
 * Thread-safe.
 *
 * @param <F> what one replica knows
 * @param <M> what all of them know together
 */
interface ReplicaReadCommand<F, M> {

  /** Asks this node's store. */
  CompletableFuture<FragmentRead<F>> here();

  /** The verb of a question to another node. */
  Verb verb(boolean digestOnly);

  /** The body of a question to another node; made once. */
  byte[] body(boolean digestOnly);

  /** Another node's answer to a question for data. */
  FragmentRead<F> decode(byte[] body) throws CorruptDataException;

  /** What another node with the same content answers to a question for the digest. */
  Hash128 digest(F fragment);

  /** The answer of a replica that knows nothing. */
  F nothing();

  /** Joins the answers, of which there is at least one. */
  ResolvedRead<M> join(List<F> fragments);
}
