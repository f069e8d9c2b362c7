package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimNode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * How a client reads and writes single values on nodes of some kind.
 *
 * @param <N> the nodes
 */
public interface Registers<N extends SimNode> {

  /** Writes a value, or a deletion. */
  CompletableFuture<Void> write(Machine<N> machine, String key, Version version);

  /** Reads a value; empty if there is none, or no more. */
  CompletableFuture<Optional<Version>> read(Machine<N> machine, String key);

  /** What a client knows after a write failed so. */
  Outcome outcome(Throwable failure);
}
