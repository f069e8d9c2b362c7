package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.LinkFaults;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.SimNetwork;
import dev.colonnade.server.sim.SimNode;
import dev.colonnade.server.sim.World;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Lets things go wrong in a world, one after another and several at a time, as its random source
 * decides, until it is told to heal all of it.
 */
public final class Chaos<N extends SimNode> {
  private final World<N> world;
  private final Rng rng;
  private final List<FaultKind> kinds;
  private final int maxDown;
  private final Map<FaultKind, Integer> done = new EnumMap<>(FaultKind.class);
  private final Set<String> leftAlone = new TreeSet<>();
  private final int longestPauseMillis;
  private boolean resting;
  private boolean over;

  /** Chaos that has not begun, and strikes once a second. */
  public Chaos(World<N> world, Set<FaultKind> kinds, int maxDown) {
    this(world, kinds, maxDown, Duration.ofSeconds(2));
  }

  /**
   * Chaos that has not begun.
   *
   * @param kinds what may go wrong
   * @param maxDown how many machines may be down or paused at a time
   * @param longestPause between two strikes
   */
  public Chaos(World<N> world, Set<FaultKind> kinds, int maxDown, Duration longestPause) {
    this.longestPauseMillis = (int) longestPause.toMillis();
    this.world = world;
    this.rng = new Rng(world.random("chaos"));
    this.kinds = List.copyOf(kinds);
    this.maxDown = maxDown;
  }

  /** Begins. */
  public void start() {
    if (kinds.isEmpty()) {
      return;
    }
    linksAndClocks();
    next();
  }

  /**
   * Strikes no more until it is told to go on, and lets all messages through; what it broke is
   * mended as if it went on. Otherwise a rest would keep the loss of messages at what it was when
   * the rest began, up to a third of them.
   */
  public void rest(boolean rests) {
    if (rests && !resting) {
      world.network().faults(LinkFaults.FAIR);
    } else if (!rests && resting && !over) {
      changeLinkFaults();
    }
    resting = rests;
  }

  /** Neither breaks nor starts this machine from now on: somebody else does. */
  public void leaveAlone(Machine<N> machine) {
    leftAlone.add(machine.name());
  }

  /** May break it again, and starts it again then. */
  public void takeBack(Machine<N> machine) {
    leftAlone.remove(machine.name());
    if (over || machine.state() == Machine.State.DOWN) {
      startSoon(machine, Duration.ZERO);
    }
  }

  /** How many of its machines are down or paused. */
  public int down() {
    return (int)
        mine().stream().filter(machine -> machine.state() != Machine.State.RUNNING).count();
  }

  private List<Machine<N>> mine() {
    return world.machines().stream()
        .filter(machine -> !leftAlone.contains(machine.name()))
        .toList();
  }

  /** How often each kind came about. */
  public Map<FaultKind, Integer> done() {
    return done;
  }

  /** Ends all faults: links and clocks are right again, and all machines run. */
  public void heal() {
    over = true;
    world.note("all is healed");
    world.network().heal();
    world.network().faults(LinkFaults.FAIR);
    for (Machine<N> machine : world.machines()) {
      machine.disk().plan().clear();
      machine.correctWall();
      if (leftAlone.contains(machine.name())) {
        continue;
      }
      if (machine.state() == Machine.State.PAUSED) {
        machine.resume();
      }
      startSoon(machine, Duration.ZERO);
    }
  }

  private void linksAndClocks() {
    if (has(FaultKind.CLOCK_SKEW)) {
      world.machines().forEach(machine -> machine.stepWall(signed(rng.millis(0, 1_000))));
      count(FaultKind.CLOCK_SKEW);
    }
    if (has(FaultKind.CLOCK_DRIFT)) {
      world.machines().forEach(machine -> machine.driftWall(rng.between(-2_000, 2_000)));
      count(FaultKind.CLOCK_DRIFT);
    }
    changeLinkFaults();
  }

  private void changeLinkFaults() {
    LinkFaults faults = LinkFaults.FAIR.withDelay(rng.micros(50, 1_000), rng.micros(50, 5_000));
    if (has(FaultKind.LOSS)) {
      faults = faults.withLoss(rng.chance(300) ? rng.between(0, 300) : rng.between(0, 50));
      count(FaultKind.LOSS);
    }
    if (has(FaultKind.DUPLICATION)) {
      faults = faults.withDuplication(rng.between(0, 100));
      count(FaultKind.DUPLICATION);
    }
    if (has(FaultKind.REORDERING)) {
      faults = faults.withReordering(rng.between(0, 500));
      count(FaultKind.REORDERING);
    }
    if (has(FaultKind.SLOW_MESSAGES)) {
      faults = faults.withTail(rng.between(0, 50), rng.millis(10, 2_000));
      count(FaultKind.SLOW_MESSAGES);
    }
    world.network().faults(faults);
  }

  private void next() {
    world.after(
        rng.millis(50, longestPauseMillis),
        () -> {
          if (!over) {
            FaultKind kind = rng.oneOf(kinds);
            if (!resting && strike(kind)) {
              count(kind);
            }
            next();
          }
        });
  }

  private boolean strike(FaultKind kind) {
    return switch (kind) {
      case KILL -> down(Machine::kill);
      case POWER_CUT -> down(Machine::powerCut);
      case RESTART -> restart();
      case PAUSE -> pause();
      case ISOLATE, HALVES, BRIDGE, CIRCLE, ONE_WAY, CLOG -> link(kind);
      case LOSS, DUPLICATION, REORDERING, SLOW_MESSAGES -> {
        changeLinkFaults();
        yield false;
      }
      case CLOCK_SKEW, CLOCK_DRIFT -> false;
      case CLOCK_STEP -> {
        rng.oneOf(world.machines()).stepWall(signed(rng.millis(1, 5_000)));
        yield true;
      }
      case SLOW_DISK -> disk(FileFault.STALL);
      case DISK_ERROR -> disk(FileFault.ERROR);
    };
  }

  private boolean down(Consumer<Machine<N>> how) {
    List<Machine<N>> candidates = running();
    if (candidates.isEmpty()) {
      return false;
    }
    Machine<N> machine = rng.oneOf(candidates);
    how.accept(machine);
    startSoon(machine, rng.millis(1, rng.chance(200) ? 30_000 : 3_000));
    return true;
  }

  private boolean restart() {
    List<Machine<N>> candidates = running();
    if (candidates.isEmpty()) {
      return false;
    }
    Machine<N> machine = rng.oneOf(candidates);
    Duration downFor = rng.millis(1, 2_000);
    int boots = machine.boots();
    machine.stop(() -> startSoon(machine, downFor));
    // One that does not stop in time is killed, as a service manager does.
    world.after(
        Duration.ofSeconds(20),
        () -> {
          if (machine.boots() == boots && machine.state() == Machine.State.RUNNING) {
            machine.kill();
            startSoon(machine, downFor);
          }
        });
    return true;
  }

  private boolean pause() {
    List<Machine<N>> candidates = running();
    if (candidates.isEmpty()) {
      return false;
    }
    Machine<N> machine = rng.oneOf(candidates);
    machine.pause();
    world.after(
        rng.millis(1, rng.chance(300) ? 30_000 : 2_000),
        () -> {
          if (machine.state() == Machine.State.PAUSED) {
            machine.resume();
          }
        });
    return true;
  }

  private boolean link(FaultKind kind) {
    SimNetwork network = world.network();
    List<Machine<N>> nodes = rng.shuffled(world.machines());
    if (nodes.size() < 3) {
      return false;
    }
    world.note("links: " + kind + " over " + nodes);
    int half = nodes.size() / 2;
    switch (kind) {
      case ISOLATE ->
          network.partition(List.of(nodes.subList(0, 1), nodes.subList(1, nodes.size())));
      case HALVES ->
          network.partition(List.of(nodes.subList(0, half), nodes.subList(half, nodes.size())));
      case BRIDGE ->
          network.partition(List.of(nodes.subList(0, half), nodes.subList(half + 1, nodes.size())));
      case CIRCLE -> circle(nodes);
      case ONE_WAY -> network.cut(nodes.get(0), nodes.get(1));
      default -> network.clog(nodes.get(0), nodes.get(1));
    }
    world.after(
        rng.millis(50, rng.chance(200) ? 30_000 : 4_000),
        () -> {
          if (!over) {
            world.note("links are mended");
            network.heal();
          }
        });
    return true;
  }

  private void circle(List<Machine<N>> nodes) {
    int count = nodes.size();
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < count; j++) {
        int apart = Math.floorMod(i - j, count);
        if (apart > 1 && apart < count - 1) {
          world.network().cut(nodes.get(i), nodes.get(j));
        }
      }
    }
  }

  private boolean disk(FileFault fault) {
    List<Machine<N>> candidates = running();
    if (candidates.isEmpty()) {
      return false;
    }
    Machine<N> machine = rng.oneOf(candidates);
    if (fault == FileFault.STALL) {
      machine
          .disk()
          .plan()
          .add(fault)
          .on(FileOperation.SYNC, FileOperation.WRITE)
          .times(rng.between(1, 5))
          .lasting(rng.millis(1, 500));
      return true;
    }
    machine
        .disk()
        .plan()
        .add(fault)
        .on(rng.oneOf(List.of(FileOperation.SYNC, FileOperation.WRITE, FileOperation.CREATE)))
        .once();
    int boots = machine.boots();
    world.after(
        rng.millis(100, 3_000),
        () -> {
          if (machine.boots() == boots && machine.state() == Machine.State.RUNNING) {
            machine.kill();
            startSoon(machine, rng.millis(1, 1_000));
          }
        });
    return true;
  }

  /** Starts it then, and again and again until it has started. */
  private void startSoon(Machine<N> machine, Duration delay) {
    world.after(
        delay,
        () -> {
          if (machine.state() != Machine.State.DOWN || leftAlone.contains(machine.name())) {
            return;
          }
          try {
            machine.start();
          } catch (IOException e) {
            world.note(machine + " could not start: " + e.getMessage());
            startSoon(machine, Duration.ofSeconds(1));
          }
        });
  }

  /** Machines that may go down now. */
  private List<Machine<N>> running() {
    List<Machine<N>> running = new ArrayList<>();
    for (Machine<N> machine : mine()) {
      if (machine.state() == Machine.State.RUNNING) {
        running.add(machine);
      }
    }
    return down() >= maxDown ? List.of() : running;
  }

  private Duration signed(Duration duration) {
    return rng.chance(500) ? duration : duration.negated();
  }

  private boolean has(FaultKind kind) {
    return kinds.contains(kind);
  }

  private void count(FaultKind kind) {
    done.merge(kind, 1, Integer::sum);
  }
}
