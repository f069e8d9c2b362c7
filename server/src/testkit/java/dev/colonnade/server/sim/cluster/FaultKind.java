package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import java.util.EnumSet;
import java.util.Set;

/** What can go wrong in a run. A run has some of them, chosen by its seed. */
public enum FaultKind {
  /** A node's process ends at once and is started again. */
  KILL,
  /** A machine loses its power, and with it what was not synced. */
  POWER_CUT,
  /** A node is stopped and started again in order. */
  RESTART,
  /** A node stands still for a while, and goes on as if nothing had been. */
  PAUSE,
  /** One node is cut off. */
  ISOLATE,
  /** The nodes fall into two groups that do not hear each other. */
  HALVES,
  /** Two groups that have one node in common. */
  BRIDGE,
  /** Each node hears only those next to it. */
  CIRCLE,
  /** One node does not hear another, which hears it. */
  ONE_WAY,
  /** Messages between two nodes wait, and come all at once. */
  CLOG,
  /** Messages are lost, up to 30 %. */
  LOSS,
  /** Messages come twice. */
  DUPLICATION,
  /** Messages overtake one another. */
  REORDERING,
  /** Some messages take much longer than others. */
  SLOW_MESSAGES,
  /** Wall clocks differ. */
  CLOCK_SKEW,
  /** A wall clock steps, forward or back. */
  CLOCK_STEP,
  /** Wall clocks run fast or slow. */
  CLOCK_DRIFT,
  /** A disk takes its time. */
  SLOW_DISK,
  /** A disk operation fails once; the node is killed and started again after that. */
  DISK_ERROR;

  /** Whether nodes go on through it, so that none forgets what it was about to do. */
  boolean sparesProcesses() {
    return this != KILL && this != POWER_CUT && this != RESTART && this != DISK_ERROR;
  }

  /** Which of the allowed ones a world's seed chooses. */
  static Set<FaultKind> chosen(World<?> world, Set<FaultKind> allowed) {
    Rng rng = new Rng(world.random("swarm"));
    Set<FaultKind> chosen = EnumSet.noneOf(FaultKind.class);
    for (FaultKind kind : values()) {
      // Each is drawn for, allowed or not, so that leaving one out changes nothing else.
      if (rng.chance(350) && allowed.contains(kind)) {
        chosen.add(kind);
      }
    }
    return chosen;
  }
}
