package dev.colonnade.server.storage.engine;

import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One step of a sweep's script.
 *
 * @param parts the requests to the store, all at once
 */
record SweepStep(String name, Kind kind, Duration pause, List<Part> parts) {

  enum Kind {
    /** Asks something. */
    WORK,
    /** Lets time pass. */
    PAUSE,
    /** Stops in order and starts again. */
    RESTART,
    /** The process is killed and started again; the system goes on. */
    KILL
  }

  /**
   * One request.
   *
   * @param name for messages
   * @param action asks it
   * @param change its effect on the contents, if it is carried out
   */
  record Part(
      String name,
      Function<SimulatedStore, CompletableFuture<?>> action,
      UnaryOperator<SweepState> change) {}

  static SweepStep work(List<Part> parts) {
    String name = parts.stream().map(Part::name).collect(Collectors.joining(" and "));
    return new SweepStep(name, Kind.WORK, Duration.ZERO, List.copyOf(parts));
  }

  static SweepStep pause(Duration pause) {
    return new SweepStep("pause " + pause, Kind.PAUSE, pause, List.of());
  }

  static SweepStep of(Kind kind) {
    return new SweepStep(kind.name(), kind, Duration.ZERO, List.of());
  }
}
