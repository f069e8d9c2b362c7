package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.platform.SeededRandom;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster in one thread: machines with nodes, a network between them, and one queue of
 * events on virtual time that drives all of it. All that is random follows from the seed, so that
 * the same seed gives the same run.
 *
 * @param <N> what runs on the machines
 */
public final class World<N extends SimNode> implements AutoCloseable {

  /**
   * How a world is.
   *
   * @param queuePlaces tasks that a stage of a node can hold
   * @param maxTaskDelayNanos how long a task may wait for its turn, which mixes the stages of a
   *     node in ways that a seed decides
   * @param keptEntries how much of the trace is kept in words
   * @param maxEvents a run with more is going round in circles
   */
  public record Settings(int queuePlaces, int maxTaskDelayNanos, int keptEntries, long maxEvents) {
    /** For clusters of a handful of nodes. */
    public static final Settings DEFAULT = new Settings(20_000, 20_000, 200, 20_000_000);

    /** The same with more or less of the trace in words. */
    public Settings keeping(int entries) {
      return new Settings(queuePlaces, maxTaskDelayNanos, entries, maxEvents);
    }
  }

  private final long seed;
  private final Settings settings;
  private final SimNode.Factory<N> factory;
  private final RandomSource random;
  private final EventQueue queue = new EventQueue(new VirtualTime());
  private final SimClock clock = new SimClock(queue.time(), 0);
  private final Trace trace;
  private final SimNetwork network;
  private final List<Machine<N>> machines = new ArrayList<>();
  private final Deadline.Ticker ticker;
  private final ScheduledExecutorService clientTimers;
  private @Nullable Throwable failure;

  /** An empty world. */
  public World(long seed, Settings settings, SimNode.Factory<N> factory) {
    this.seed = seed;
    this.settings = settings;
    this.factory = factory;
    this.random = new SeededRandom(seed);
    this.trace = new Trace(settings.keptEntries());
    this.network = new SimNetwork(this, random.fork("network"));
    this.ticker =
        new Deadline.Ticker() {
          @Override
          public long nanoTime() {
            return nowNanos();
          }
        };
    this.clientTimers =
        new VirtualExecutor(
            queue.time(), (delay, action) -> at(nowNanos() + delay, null, guard(action)));
  }

  public long seed() {
    return seed;
  }

  /** Randomness for a purpose, the same for the same seed and purpose. */
  public RandomSource random(String purpose) {
    return random.fork(purpose);
  }

  public SimNetwork network() {
    return network;
  }

  public Trace trace() {
    return trace;
  }

  /** The true time, which no node sees. */
  public SimClock clock() {
    return clock;
  }

  /** Lets go of all nodes, which gRPC would hold for ever. */
  @Override
  public void close() {
    machines.forEach(Machine::discard);
  }

  /** How long the world has existed. */
  public Duration age() {
    return Duration.ofNanos(nowNanos());
  }

  /** Events that have run. */
  public long events() {
    return queue.steps();
  }

  /** All machines in the order in which they were added. */
  public List<Machine<N>> machines() {
    return Collections.unmodifiableList(machines);
  }

  /** Adds a machine that is down, with an empty disk. */
  public Machine<N> add(String name, PeerAddress address) {
    Machine<N> machine =
        new Machine<>(this, machines.size() + 1, name, address, random.fork("machine " + name));
    machines.add(machine);
    return machine;
  }

  /**
   * Lets {@code action} happen after a time, outside of all nodes. If it throws, the run ends with
   * that.
   */
  public void after(Duration delay, Runnable action) {
    var unused = at(nowNanos() + delay.toNanos(), null, guard(action));
  }

  /** Lets {@code action} happen when a future has completed; as {@link #after}. */
  public <T> void when(
      CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
    var unused =
        future.whenComplete(
            (value, failure) -> after(Duration.ZERO, () -> action.accept(value, failure)));
  }

  /** Lets {@code action} happen again and again, outside of all nodes, first after one period. */
  public void every(Duration period, Runnable action) {
    after(
        period,
        () -> {
          action.run();
          every(period, action);
        });
  }

  /** Lets time pass. */
  public void advance(Duration duration) {
    long end = nowNanos() + duration.toNanos();
    do {
      runDue();
    } while (queue.moveToNext(end));
    queue.time().moveTo(end);
    runDue();
  }

  /**
   * Lets time pass until something is so.
   *
   * @return false if it was not so after {@code limit}
   */
  public boolean runUntil(BooleanSupplier condition, Duration limit) {
    long end = nowNanos() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (!step() && !queue.moveToNext(end)) {
        queue.time().moveTo(end);
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  /** Notes what a client did or saw. */
  public void client(String words) {
    note(-1, Trace.Kind.CLIENT, 0, 0, words);
  }

  /** Notes something else. */
  public void note(String words) {
    note(-1, Trace.Kind.NOTE, 0, 0, words);
  }

  /** What tasks of nodes threw while their node was alive; each is a bug. */
  public List<Throwable> failures() {
    List<Throwable> all = new ArrayList<>();
    machines.forEach(machine -> all.addAll(machine.failures()));
    return all;
  }

  private void runDue() {
    while (step()) {}
  }

  private boolean step() {
    boolean ran = queue.step();
    Throwable thrown = failure;
    if (thrown != null) {
      throw new AssertionError("after " + age() + ": " + thrown.getMessage(), thrown);
    }
    if (queue.steps() > settings.maxEvents()) {
      throw new AssertionError(
          queue.steps() + " events within " + age() + ": it goes round in circles");
    }
    return ran;
  }

  /**
   * Something outside of all nodes. It may run on top of a task of a node that waits for its disk:
   * that must see nothing of it, and it nothing of the call that the task works for.
   */
  Runnable guard(Runnable action) {
    return () -> {
      Context before = Context.ROOT.attach();
      try {
        action.run();
      } catch (RuntimeException | Error e) {
        if (failure == null) {
          failure = e;
        }
      } finally {
        Context.ROOT.detach(before);
      }
    };
  }

  /** What deadlines of calls go by. */
  public Deadline.Ticker ticker() {
    return ticker;
  }

  ScheduledExecutorService clientTimers() {
    return clientTimers;
  }

  VirtualTime time() {
    return queue.time();
  }

  long nowNanos() {
    return queue.time().nanos();
  }

  SimNode.Factory<N> factory() {
    return factory;
  }

  SimClock newClock(long zeroNanos) {
    return new SimClock(queue.time(), zeroNanos);
  }

  SimScheduler newScheduler(Machine<N> machine, Gate gate, RandomSource delays) {
    SimScheduler scheduler =
        new SimScheduler(queue, gate, settings.queuePlaces(), delays, settings.maxTaskDelayNanos());
    scheduler.observe(
        stage -> note(machine.index(), Trace.Kind.TASK, machine.boots(), 0, stage.name()));
    return scheduler;
  }

  Event at(long nanos, @Nullable Gate gate, Runnable action) {
    Event event =
        new Event(nanos, gate) {
          @Override
          void run() {
            action.run();
          }
        };
    queue.add(event);
    return event;
  }

  void stall(Duration duration) {
    queue.pass(duration);
  }

  void close(Gate gate) {
    queue.close(gate);
  }

  void open(Gate gate) {
    queue.open(gate);
  }

  void fault(int node, String words) {
    note(node, Trace.Kind.FAULT, 0, 0, words);
  }

  void note(int node, Trace.Kind kind, long a, long b, String words) {
    trace.add(nowNanos(), node, kind, a, b, words);
  }
}
