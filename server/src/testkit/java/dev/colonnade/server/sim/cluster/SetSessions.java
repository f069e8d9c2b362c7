package dev.colonnade.server.sim.cluster;

import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.QuorumCheck;
import dev.colonnade.server.history.SetCheck;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Clients that add elements to sets, each element once, and remove some that they have added, each
 * one thing at a time, on whatever node they like.
 */
final class SetSessions {

  /**
   * How much, and how.
   *
   * @param sessions clients at a time
   * @param sets that they share
   * @param operations of all of them together
   * @param timeout how long a client waits for an answer
   * @param removals of a thousand operations
   * @param pause the longest one between two operations of a client
   * @param expiring of a thousand additions, which must not be seen when all is over
   */
  record Load(
      int sessions,
      int sets,
      int operations,
      Duration timeout,
      int removals,
      Duration pause,
      int expiring) {

    /** Of which nothing expires. */
    Load(int sessions, int sets, int operations, Duration timeout, int removals, Duration pause) {
      this(sessions, sets, operations, timeout, removals, pause, 0);
    }

    Load withExpiring(int perMille) {
      return new Load(sessions, sets, operations, timeout, removals, pause, perMille);
    }
  }

  /** Shorter than what a run takes to heal, whatever clocks say. */
  private static final int TTL_SECONDS = 2;

  private final World<CoreNode> world;
  private final Function<String, StoreClient> clients;
  private final Load load;
  private final Supplier<List<Machine<CoreNode>>> nodes;
  private final SetCheck check = new SetCheck();
  private final QuorumCheck quorums = new QuorumCheck();
  private int begun;
  private int active;
  private boolean stopped;

  /** Clients that have not begun, made by their names; they ask {@code nodes}. */
  SetSessions(
      World<CoreNode> world,
      Function<String, StoreClient> clients,
      Load load,
      Supplier<List<Machine<CoreNode>>> nodes) {
    this.world = world;
    this.clients = clients;
    this.load = load;
    this.nodes = nodes;
  }

  void start() {
    for (int i = 0; i < load.sessions(); i++) {
      active++;
      new Session(i).next();
    }
  }

  /** Lets each client end after what it is doing now. */
  void stop() {
    stopped = true;
  }

  boolean isDone() {
    return active == 0;
  }

  /** What was done. */
  SetCheck check() {
    return check;
  }

  /** What was acknowledged. */
  QuorumCheck quorums() {
    return quorums;
  }

  /** The rows of the sets. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= load.sets(); i++) {
      names.add("set" + i);
    }
    return names;
  }

  /** An element as the check knows it. */
  static String inSet(String set, String element) {
    return set + "/" + element;
  }

  /** One client. */
  private final class Session {

    private record Element(String set, String name) {}

    private final int number;
    private final Rng rng;
    private final StoreClient sets;
    private final List<Element> own = new ArrayList<>();
    private long highest;
    private int elements;
    private int turn;

    Session(int number) {
      this.number = number;
      this.rng = new Rng(world.random("set session " + number));
      this.sets = clients.apply("set session " + number);
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
      Machine<CoreNode> machine = rng.oneOf(nodes.get());
      boolean removes = rng.chance(load.removals());
      highest = Math.max(machine.clock().wallMicros(), highest + 1);
      long timestamp = highest;
      if (removes && !own.isEmpty()) {
        Element element = own.remove(rng.between(0, own.size() - 1));
        String name = inSet(element.set, element.name);
        check.removing(name);
        ask(
            machine,
            "removes " + name,
            () -> sets.remove(machine, element.set, element.name, timestamp),
            outcome -> {
              check.removed(name, outcome);
              acknowledged(element, timestamp, outcome);
            });
      } else {
        Element element = new Element(rng.oneOf(names()), "e" + number + "." + elements++);
        String name = inSet(element.set, element.name);
        check.adding(name);
        boolean expires = rng.chance(load.expiring());
        if (expires) {
          check.removed(name, Outcome.DONE);
        }
        ask(
            machine,
            (expires ? "adds for a moment " : "adds ") + name,
            () ->
                sets.add(machine, element.set, element.name, timestamp, expires ? TTL_SECONDS : 0),
            outcome -> {
              check.added(name, outcome);
              acknowledged(element, timestamp, outcome);
              if (outcome == Outcome.DONE && !expires) {
                own.add(element);
              }
            });
      }
    }

    private void acknowledged(Element element, long timestamp, Outcome outcome) {
      if (outcome == Outcome.DONE) {
        quorums.acknowledged(element.set, element.name, timestamp);
      }
    }

    private void ask(
        Machine<CoreNode> machine,
        String words,
        Supplier<CompletableFuture<Void>> request,
        Ending ending) {
      String told = "set session " + number + " at " + machine + " " + words;
      world.client(told);
      int asked = turn;
      world.when(
          request.get(),
          (done, failure) ->
              end(
                  asked,
                  told,
                  failure == null ? Outcome.DONE : NodeClient.outcome(failure),
                  ending));
      world.after(load.timeout(), () -> end(asked, told, Outcome.UNKNOWN, ending));
    }

    private void end(int asked, String told, Outcome outcome, Ending ending) {
      if (asked == turn) {
        turn++;
        world.client(told + ": " + outcome);
        ending.with(outcome);
        next();
      }
    }
  }

  private interface Ending {
    void with(Outcome outcome);
  }
}
