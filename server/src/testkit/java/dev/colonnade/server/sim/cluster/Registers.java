package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Version;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * How clients read and write single values on nodes of some kind.
 *
 * @param <N> the nodes
 */
public interface Registers<N> {

  /** Writes a value, or a deletion. */
  CompletableFuture<Void> write(N node, String key, Version version);

  /** Reads a value; empty if there is none, or no more. */
  CompletableFuture<Optional<Version>> read(N node, String key);

  /** What a client knows after a write failed so. */
  Outcome outcome(Throwable failure);
}
