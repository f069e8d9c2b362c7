package dev.colonnade.server.sim.cluster;

import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.SetCheck;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A client that adds elements to sets and now and then truncates their family, one thing at a time,
 * on whatever node it likes. What was acknowledged before an acknowledged truncation began must be
 * gone in the end, and what was acknowledged after it ended must be there.
 *
 * <p>After a truncation of unknown fate that holds for nothing until another one is acknowledged:
 * it may still be made by those that hear of it later.
 */
final class TruncationSession {

  private static final int OPERATIONS = 60;
  private static final int TRUNCATIONS = 150;
  private static final Duration PATIENCE = Duration.ofSeconds(12);

  private final World<CoreNode> world;
  private final StoreClient.Place place;
  private final StoreClient sets;
  private final NodeClient operator;
  private final Rng rng;
  private final SetCheck check = new SetCheck();
  private final List<String> acknowledged = new ArrayList<>();
  private int begun;
  private int turn;
  private int truncations;
  private boolean doubtful;
  private boolean isOver;

  TruncationSession(World<CoreNode> world, Programs programs, StoreClient.Place place) {
    this.world = world;
    this.place = place;
    this.sets = programs.named("truncation session", place);
    this.operator = programs.patientOperator("truncation operator");
    this.rng = new Rng(world.random("truncation"));
  }

  void next() {
    if (begun++ >= OPERATIONS) {
      isOver = true;
      return;
    }
    world.after(rng.millis(50, 700), this::act);
  }

  boolean isDone() {
    return isOver;
  }

  SetCheck check() {
    return check;
  }

  /** Truncations that were acknowledged. */
  int truncations() {
    return truncations;
  }

  List<String> names() {
    return List.of("t1", "t2", "t3");
  }

  private void act() {
    Machine<CoreNode> machine = rng.oneOf(world.machines());
    if (rng.chance(TRUNCATIONS)) {
      // Nothing is asked of what has no known fate yet.
      List<String> before = List.copyOf(acknowledged);
      before.forEach(check::removing);
      ask(machine, "truncates", () -> truncate(machine), outcome -> truncated(before, outcome));
      return;
    }
    String set = rng.oneOf(names());
    String element = "e" + begun;
    String name = SetSessions.inSet(set, element);
    check.adding(name);
    long timestamp = machine.clock().wallMicros();
    ask(
        machine,
        "adds " + name,
        () -> sets.add(machine, set, element, timestamp, 0),
        outcome -> {
          check.added(name, outcome);
          if (outcome == Outcome.DONE) {
            acknowledged.add(name);
          }
          if (doubtful) {
            check.removing(name);
          }
        });
  }

  private CompletableFuture<Void> truncate(Machine<CoreNode> machine) {
    return operator
        .call(
            machine,
            SchemaServiceGrpc::newFutureStub,
            schema ->
                schema.truncateColumnFamily(
                    TruncateColumnFamilyRequest.newBuilder()
                        .setKeyspace(place.keyspace())
                        .setName(place.family())
                        .build()))
        .thenAccept(answer -> {});
  }

  private void truncated(List<String> before, Outcome outcome) {
    if (outcome == Outcome.DONE) {
      truncations++;
      doubtful = false;
      before.forEach(name -> check.removed(name, Outcome.DONE));
      acknowledged.clear();
    } else {
      doubtful = true;
    }
  }

  private interface Ending {
    void with(Outcome outcome);
  }

  private void ask(
      Machine<CoreNode> machine,
      String words,
      Supplier<CompletableFuture<Void>> request,
      Ending ending) {
    int asked = ++turn;
    world.client("truncation session at " + machine + " " + words);
    world.when(
        request.get(),
        (done, failure) -> end(asked, failure == null ? Outcome.DONE : Outcome.UNKNOWN, ending));
    world.after(PATIENCE, () -> end(asked, Outcome.UNKNOWN, ending));
  }

  private void end(int asked, Outcome outcome, Ending ending) {
    if (asked == turn) {
      turn++;
      world.client("truncation session: " + outcome);
      ending.with(outcome);
      next();
    }
  }
}
