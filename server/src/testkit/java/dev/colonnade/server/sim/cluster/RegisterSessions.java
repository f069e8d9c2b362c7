package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.RegisterHistory;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.SimNode;
import dev.colonnade.server.sim.World;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that write, delete and read registers, each one thing at a time, on whatever node they
 * like, and give up an answer after a while. What they did and saw goes into a history.
 *
 * <p>Timestamps are what the node's clock says, but greater than any that the client has seen, as
 * clients are told to choose them.
 */
public final class RegisterSessions<N extends SimNode> {

  /**
   * How much, and how.
   *
   * @param sessions clients at a time
   * @param keys that they share
   * @param operations of all of them together
   * @param timeout how long a client waits for an answer
   * @param reads of a thousand operations
   * @param deletions of a thousand operations
   * @param pause the longest one between two operations of a client
   */
  public record Load(
      int sessions,
      int keys,
      int operations,
      Duration timeout,
      int reads,
      int deletions,
      Duration pause) {
    /** With short pauses. */
    public Load(
        int sessions, int keys, int operations, Duration timeout, int reads, int deletions) {
      this(sessions, keys, operations, timeout, reads, deletions, Duration.ofMillis(300));
    }
  }

  private final World<N> world;
  private final Function<String, Registers<N>> clients;
  private final Load load;
  private final Supplier<List<Machine<N>>> nodes;
  private final RegisterHistory history = new RegisterHistory();
  private int begun;
  private int active;
  private int values;
  private boolean stopped;

  /**
   * Clients that have not begun.
   *
   * @param clients makes one by its name
   * @param nodes that they may ask
   */
  public RegisterSessions(
      World<N> world,
      Function<String, Registers<N>> clients,
      Load load,
      Supplier<List<Machine<N>>> nodes) {
    this.world = world;
    this.clients = clients;
    this.load = load;
    this.nodes = nodes;
  }

  /** Clients that have not begun, and may ask any machine. */
  public RegisterSessions(World<N> world, Function<String, Registers<N>> clients, Load load) {
    this(world, clients, load, world::machines);
  }

  /** Begins. */
  public void start() {
    for (int i = 0; i < load.sessions(); i++) {
      active++;
      new Session(i).next();
    }
  }

  /** Lets each client end after what it is doing now, though there would be more to do. */
  public void stop() {
    stopped = true;
  }

  /** Whether all operations have come to an end. */
  public boolean isDone() {
    return active == 0;
  }

  /** What was done and seen so far. */
  public RegisterHistory history() {
    return history;
  }

  /** Reads every key once more, now that nothing is wrong; each read must be answered. */
  public void readAll(Machine<N> machine, Registers<N> registers, Runnable whenDone) {
    new FinalReads(machine, registers, whenDone).next(0);
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** One client. */
  private final class Session {
    private final int number;
    private final Rng rng;
    private final Registers<N> registers;
    private Machine<N> favourite;
    private long highest;
    private int turn;

    Session(int number) {
      this.number = number;
      this.rng = new Rng(world.random("session " + number));
      this.registers = clients.apply("session " + number);
      this.favourite = rng.oneOf(nodes.get());
    }

    void next() {
      if (stopped || begun >= load.operations()) {
        active--;
        return;
      }
      begun++;
      world.after(rng.micros(100, (int) (load.pause().toNanos() / 1_000)), this::act);
    }

    private void act() {
      turn++;
      if (rng.chance(300)) {
        favourite = rng.oneOf(nodes.get());
      }
      String key = "k" + rng.between(1, load.keys());
      int kind = rng.between(0, 999);
      if (kind < load.reads()) {
        read(key);
      } else {
        highest = Math.max(favourite.clock().wallMicros(), highest + 1);
        boolean deletes = kind < load.reads() + load.deletions();
        write(key, new Version(highest, deletes ? null : "v" + values++));
      }
    }

    private void write(String key, Version version) {
      RegisterHistory.Write write = history.beginWrite(key, version);
      note("writes " + key + " = " + version);
      int asked = turn;
      world.when(
          registers.write(favourite, key, version),
          (done, failure) -> {
            if (asked == turn) {
              written(write, failure == null ? Outcome.DONE : registers.outcome(cause(failure)));
            }
          });
      giveUp(asked, () -> written(write, Outcome.UNKNOWN));
    }

    private void written(RegisterHistory.Write write, Outcome outcome) {
      note("write " + write.version() + " is " + outcome);
      history.endWrite(write, outcome);
      end();
    }

    private void read(String key) {
      History.Read read = history.beginRead(key);
      int asked = turn;
      world.when(
          registers.read(favourite, key),
          (seen, failure) -> {
            if (asked == turn) {
              if (seen != null) {
                seen(key, read, seen.orElse(null));
              }
              end();
            }
          });
      giveUp(asked, this::end);
    }

    private void seen(String key, History.Read read, @Nullable Version version) {
      note("reads " + key + " = " + version);
      history.endRead(read, version);
      highest = Math.max(highest, version == null ? 0 : version.timestamp());
    }

    private void giveUp(int asked, Runnable action) {
      world.after(
          load.timeout(),
          () -> {
            if (asked == turn) {
              action.run();
            }
          });
    }

    private void end() {
      turn++;
      next();
    }

    private void note(String words) {
      world.client("session " + number + " at " + favourite + " " + words);
    }
  }

  /** A read of each key, one after another. */
  private final class FinalReads {
    private final Machine<N> machine;
    private final Registers<N> registers;
    private final Runnable whenDone;

    FinalReads(Machine<N> machine, Registers<N> registers, Runnable whenDone) {
      this.machine = machine;
      this.registers = registers;
      this.whenDone = whenDone;
    }

    void next(int index) {
      if (index == history.keys().size()) {
        whenDone.run();
        return;
      }
      String key = history.keys().get(index);
      History.Read read = history.beginRead(key);
      world.when(
          registers.read(machine, key),
          (seen, failure) -> {
            if (seen == null) {
              throw new AssertionError("all is well, but " + key + " cannot be read", failure);
            }
            world.client("finally " + key + " = " + seen.orElse(null));
            history.endRead(read, seen.orElse(null));
            next(index + 1);
          });
    }
  }
}
