package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** One run of a cluster of toys. */
record ToyRun(long hash, long events, List<String> violations, long acknowledged, long answered) {

  private static final int NODES = 3;

  static ToyRun of(long seed, ToyStore.Flaw... flaws) throws IOException {
    List<PeerAddress> all =
        IntStream.rangeClosed(1, NODES)
            .mapToObj(i -> new PeerAddress("10.0.0." + i, 7000))
            .toList();
    World<ToyStore> world = new World<>(seed, World.Settings.DEFAULT, ToyStore.factory(all, flaws));
    for (int i = 0; i < NODES; i++) {
      world.add("n" + (i + 1), all.get(i)).start();
    }
    RegisterSessions<ToyStore> sessions =
        new RegisterSessions<>(
            world,
            name -> new ToyStore.Clients(),
            new RegisterSessions.Load(6, 4, 400, Duration.ofSeconds(2), 500, 60));
    Chaos<ToyStore> chaos = new Chaos<>(world, kinds(new Rng(world.random("swarm"))), 1);
    sessions.start();
    chaos.start();
    if (!world.runUntil(sessions::isDone, Duration.ofMinutes(10))) {
      throw new AssertionError("sessions hang");
    }
    chaos.heal();
    List<String> violations = new ArrayList<>();
    boolean[] read = {false};
    try {
      world.advance(Duration.ofSeconds(5));
      sessions.readAll(world.machines().get(0), new ToyStore.Clients(), () -> read[0] = true);
      world.runUntil(() -> read[0], Duration.ofMinutes(1));
    } catch (AssertionError e) {
      violations.add(e.getMessage());
    }
    violations.addAll(sessions.history().violations());
    world.failures().forEach(failure -> violations.add("thrown: " + failure));
    return new ToyRun(
        world.trace().hash(),
        world.events(),
        violations,
        sessions.history().acknowledged(),
        sessions.history().answered());
  }

  private static Set<FaultKind> kinds(Rng rng) {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    for (FaultKind kind : FaultKind.values()) {
      if (kind != FaultKind.DISK_ERROR && rng.chance(400)) {
        kinds.add(kind);
      }
    }
    return kinds;
  }
}
