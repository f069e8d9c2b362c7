package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A computer in a world: a disk, a clock, an address, and the node that runs on it, if one does.
 */
public final class Machine<N extends SimNode> {

  /** What the computer does. Legal: DOWN - RUNNING - PAUSED, in either direction, one by one. */
  public enum State {
    RUNNING,
    /** As after SIGSTOP: nothing runs, messages wait. */
    PAUSED,
    DOWN
  }

  private final World<N> world;
  private final int index;
  private final String name;
  private final PeerAddress address;
  private final RandomSource random;
  private final RandomSource clients;
  private final SimClock clock;
  private final Gate gate = new Gate(null);

  /** Closed while the node deals with a message or a call, so that these come one at a time. */
  private final Gate intake = new Gate(gate);

  private final List<Throwable> failures = new ArrayList<>();
  private final Set<SimConnection> connections = new LinkedHashSet<>();
  private SimFileSystem disk = new SimFileSystem();
  private State state = State.DOWN;
  private @Nullable NodeProcess process;
  private @Nullable N node;
  private @Nullable SimPort port;
  private @Nullable NodeProcess stopping;
  private int boots;
  private boolean powered = true;

  Machine(World<N> world, int index, String name, PeerAddress address, RandomSource random) {
    this.world = world;
    this.index = index;
    this.name = name;
    this.address = address;
    this.random = random;
    this.clients = random.fork("clients");
    // Monotonic clocks of two machines have nothing in common but their speed.
    this.clock = world.newClock(random.fork("clock").nextInt(1 << 30) * 1_000_003L);
    world.network().listens(this, address);
  }

  /** Its number, from 1 on in the order in which machines were added. */
  public int index() {
    return index;
  }

  public String name() {
    return name;
  }

  public PeerAddress address() {
    return address;
  }

  public State state() {
    return state;
  }

  /** Whether its node was asked to stop and is still there. */
  public boolean isStopping() {
    return stopping != null && stopping == process;
  }

  /** Its clocks, to be stepped and skewed. */
  public SimClock clock() {
    return clock;
  }

  /** Its disk as it is now; another one after each end of a process. */
  public SimFileSystem disk() {
    return disk;
  }

  /** How often a node was started here. */
  public int boots() {
    return boots;
  }

  /** The node that runs here, paused or not. */
  public Optional<N> node() {
    return Optional.ofNullable(node);
  }

  /** The stages of the node that runs here. */
  public Optional<SimScheduler> scheduler() {
    return Optional.ofNullable(process).map(NodeProcess::scheduler);
  }

  /** What tasks of its nodes threw while they were alive. */
  public List<Throwable> failures() {
    collectFailures();
    return List.copyOf(failures);
  }

  /**
   * Starts a node on the disk as it is.
   *
   * @throws IOException if it could not start; the machine is down then
   */
  public void start() throws IOException {
    require(State.DOWN);
    boots++;
    powered = true;
    RandomSource bootRandom = random.fork("boot " + boots);
    NodeProcess begun =
        new NodeProcess(
            this, world.network(), world.newScheduler(this, gate, bootRandom.fork("stages")));
    SimPort itsPort = new SimPort(world, this, begun);
    // Clients of a machine that lost its power learn of it when it is on again.
    closePort();
    process = begun;
    port = itsPort;
    state = State.RUNNING;
    world.fault(index, "start " + boots);
    disk.stallsWith(world::stall);
    GuardedFileSystem guarded = new GuardedFileSystem(disk, begun.scheduler());
    Environment environment =
        new Environment(
            clock,
            begun.scheduler(),
            bootRandom.fork("node"),
            guarded,
            guarded,
            new SortedArrayKeyIndexes(guarded));
    try {
      node =
          world
              .factory()
              .start(new SimNode.Seams(name, address, boots, environment, begun, itsPort));
      guarded.enforce(true);
      begun.guardedBy(guarded);
    } catch (IOException | RuntimeException | Error e) {
      end("could not start: " + e.getClass().getSimpleName());
      disk = disk.passedOn();
      throw e;
    }
    if (process != begun) {
      // It crashed while its disk stalled during the start.
      node = null;
      throw new IOException("crashed while it started");
    }
  }

  /**
   * Stops the node in order, then ends its process, whether or not the stop succeeded.
   *
   * @param whenDown called when the machine is down; never if it goes down otherwise first
   */
  public void stop(Runnable whenDown) {
    require(State.RUNNING);
    NodeProcess asked = process;
    stopping = asked;
    world.fault(index, "stop");
    whenDone(
        node().orElseThrow().stop(),
        (done, failure) -> {
          if (process == asked) {
            end(failure == null ? "stopped" : "stop failed: " + failure.getMessage());
            disk = disk.passedOn();
            whenDown.run();
          }
        });
  }

  /** Ends the process at once, as SIGKILL does. What it wrote stays with the system. */
  public void kill() {
    requireUp();
    end("kill");
    disk = disk.passedOn();
  }

  /** Cuts the power: what was not synced is lost, or a part of it, or nothing, by the seed. */
  public void powerCut() {
    requireUp();
    powered = false;
    end("power cut");
    SimFileSystem old = disk;
    disk = old.crashClone(random.fork("crash " + boots));
    old.stopAfter(0);
  }

  /** Puts an empty disk into a machine that is down. */
  public void wipe() {
    require(State.DOWN);
    world.fault(index, "wipe");
    disk = new SimFileSystem();
  }

  /** Puts a copy of another machine's disk into a machine that is down. */
  public void copyDiskOf(Machine<N> other) {
    require(State.DOWN);
    world.fault(index, "copied disk");
    disk = other.disk.copy();
  }

  /** Holds everything of the node until it is resumed. */
  public void pause() {
    require(State.RUNNING);
    world.fault(index, "pause");
    state = State.PAUSED;
    world.close(gate);
  }

  /** Lets a paused node go on. */
  public void resume() {
    require(State.PAUSED);
    world.fault(index, "resume");
    state = State.RUNNING;
    world.open(gate);
  }

  /** Steps its wall clock. */
  public void stepWall(Duration step) {
    world.fault(index, "wall clock steps by " + step);
    clock.stepWall(step);
  }

  /** Lets its wall clock gain a number of microseconds a second. */
  public void driftWall(long perMillion) {
    world.fault(index, "wall clock drifts by " + perMillion + " ppm");
    clock.driftWall(perMillion);
  }

  /** Sets its wall clock right. */
  public void correctWall() {
    clock.correctWall(world.clock());
  }

  /**
   * Connects to the node's port for clients.
   *
   * @throws ConnectionRefusedException if nothing listens there
   */
  public SimConnection connect() {
    SimPort open = port;
    if (open == null || !open.listens() || !runs(open.process())) {
      throw new ConnectionRefusedException(name);
    }
    connections.removeIf(SimConnection::isBroken);
    SimConnection connection = new SimConnection(world, open, this);
    connections.add(connection);
    return connection;
  }

  private void closePort() {
    SimPort open = port;
    port = null;
    if (open != null) {
      open.close();
    }
  }

  /** Drops what runs here, of which nobody wants to know any more. */
  void discard() {
    if (process != null) {
      process.end();
    }
    process = null;
    node = null;
    state = State.DOWN;
    closePort();
  }

  /** Ends all connections to it, in the order in which they were made. */
  void breakConnections() {
    List<SimConnection> all = List.copyOf(connections);
    connections.clear();
    all.forEach(SimConnection::breakOff);
  }

  /** Lets something of a client reach the event loop of a port, unless its process ends first. */
  Event arrive(SimPort to, long delayNanos, Runnable task) {
    return world.at(
        world.nowNanos() + delayNanos,
        intake,
        () -> {
          if (runs(to.process())) {
            throughIntake(to.process(), () -> to.onLoop(task));
          }
        });
  }

  boolean runs(NodeProcess asked) {
    return process == asked;
  }

  /**
   * Asks the node as a client does, over a connection that breaks when the node's process ends.
   *
   * @param request what it is asked; called when the node gets to it, outside of its stages
   * @param answer is told the value or the failure, {@link ConnectionRefusedException} if no node
   *     took the request; never called if the process ends before it answers
   */
  public <T> void call(
      Function<N, CompletableFuture<T>> request,
      BiConsumer<@Nullable T, @Nullable Throwable> answer) {
    var unused =
        world.at(
            world.nowNanos() + clientDelayNanos(),
            intake,
            () -> {
              NodeProcess asked = process;
              N target = node;
              if (asked == null || target == null) {
                world.after(
                    Duration.ZERO, () -> answer.accept(null, new ConnectionRefusedException(name)));
                return;
              }
              throughIntake(
                  asked,
                  () ->
                      whenDone(
                          request.apply(target),
                          (value, failure) -> {
                            if (process == asked) {
                              world.after(
                                  Duration.ofNanos(clientDelayNanos()),
                                  () -> answer.accept(value, failure));
                            }
                          }));
            });
  }

  /** The same as a future, on whose completion nothing may depend that can fail. */
  public <T> CompletableFuture<T> ask(Function<N, CompletableFuture<T>> request) {
    CompletableFuture<T> answered = new CompletableFuture<>();
    this.<T>call(
        request,
        (value, failure) -> {
          if (failure == null) {
            answered.complete(value);
          } else {
            answered.completeExceptionally(failure);
          }
        });
    return answered;
  }

  private static <T> void whenDone(
      CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
    var unused = future.whenComplete(action);
  }

  private void throughIntake(NodeProcess asked, Runnable action) {
    world.close(intake);
    try {
      asked.run(action);
    } finally {
      world.open(intake);
    }
  }

  /** How long something takes between a client and the node. */
  long clientDelayNanos() {
    return 50_000L + clients.nextInt(100_000);
  }

  /** What messages pass on their way in. */
  Gate intake() {
    return intake;
  }

  boolean isListening() {
    return state == State.RUNNING;
  }

  /** Whether its system answers that no node runs here; without power there is no answer. */
  boolean refuses() {
    return state == State.DOWN && powered;
  }

  /** Gives a message back to the process that sent it; false if it has ended. */
  boolean giveBack(NodeProcess sender, Frame frame) {
    if (process != sender) {
      return false;
    }
    throughIntake(sender, () -> sender.giveBack(frame));
    return true;
  }

  void deliver(Frame frame) {
    NodeProcess current = process;
    if (current != null) {
      throughIntake(current, () -> current.deliver(frame));
    }
  }

  private void end(String how) {
    world.fault(index, how);
    collectFailures();
    if (process != null) {
      process.end();
    }
    process = null;
    node = null;
    if (powered) {
      closePort();
    }
    if (state == State.PAUSED) {
      // What waited finds no node.
      world.open(gate);
    }
    state = State.DOWN;
  }

  private void collectFailures() {
    if (process != null) {
      List<Throwable> thrown = process.failures();
      thrown.stream().filter(failure -> !failures.contains(failure)).forEach(failures::add);
    }
  }

  private void require(State needed) {
    if (state != needed) {
      throw new IllegalStateException(name + " is " + state + ", not " + needed);
    }
  }

  private void requireUp() {
    if (state == State.DOWN) {
      throw new IllegalStateException(name + " is down already");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
