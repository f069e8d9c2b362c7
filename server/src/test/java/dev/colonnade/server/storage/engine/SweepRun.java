package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.sim.InjectedError;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a script on a simulated disk, and knows at every moment what the store may hold: what
 * was acknowledged, and any part of what is in progress or failed with an unknown outcome.
 */
final class SweepRun {

  /** An answer takes less, or there is none. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** With more states than this the run ends. */
  private static final int STATES_MAX = 64;

  /** The outcome of a request. */
  private enum Outcome {
    DONE,
    REFUSED,
    UNKNOWN
  }

  /**
   * What the store may hold since a moment.
   *
   * @param passed these, and those that it went through on the way
   */
  private record Moment(long nanos, Set<SweepState> states, Set<SweepState> passed) {
    Moment(long nanos, SweepState state) {
      this(nanos, Set.of(state), Set.of(state));
    }
  }

  private static final class Pending {
    private final SweepStep.Part part;
    private @Nullable CompletableFuture<?> answer;

    Pending(SweepStep.Part part) {
      this.part = part;
    }
  }

  private final SimFileSystem disk;
  private final EngineSettings settings;
  private final SimClock clock = new SimClock();
  private final List<Moment> moments = new ArrayList<>();
  private final List<Pending> pending = new ArrayList<>();
  private final List<String> typedFailures = new ArrayList<>();

  /** Requests that callers no longer wait for and the store may still carry out, in this order. */
  private final List<SweepStep.Part> late = new ArrayList<>();

  private @Nullable SimulatedStore store;
  private boolean open;
  private String at = "the first start";

  SweepRun(SimFileSystem disk, EngineSettings settings) {
    this.disk = disk;
    this.settings = settings;
    moments.add(new Moment(0, SweepState.EMPTY));
  }

  /** Opens the store for the first time. */
  void open() throws IOException, SchemaException {
    open = false;
    store = SimulatedStore.open(disk, settings, clock);
    open = true;
  }

  SimulatedStore store() {
    if (store == null) {
      throw new IllegalStateException("not open");
    }
    return store;
  }

  /** Where in the script this is, for messages. */
  String at() {
    return at;
  }

  SimClock clock() {
    return clock;
  }

  /** Whether too many requests failed with an unknown outcome for the run to go on. */
  boolean isBlurred() {
    return moments.get(moments.size() - 1).states().size() > STATES_MAX;
  }

  /** The failures that callers received, as text. */
  List<String> failures() {
    return typedFailures;
  }

  /** Carries out the step of that number. */
  void perform(int number, SweepStep step) throws IOException, SchemaException {
    at = "step " + number + " (" + step.name() + ")";
    switch (step.kind()) {
      case WORK -> work(step);
      case PAUSE -> store().scheduler().advance(step.pause());
      case RESTART -> {
        open = false;
        store().close();
        open();
        forgetOlder();
      }
      case KILL -> {
        killed();
        open();
        forgetOlder();
      }
    }
  }

  /** Whether the store is open, or was when its process ended. */
  boolean isOpen() {
    return open;
  }

  /** Whether it accepted no more writes at the end of its last run. */
  boolean hasFailed() {
    return store != null && store.engine().failure().isPresent();
  }

  /** Ends the process; what the system holds stays. */
  void killed() {
    store().scheduler().shutDown();
    disk.kill();
  }

  private void work(SweepStep step) {
    for (SweepStep.Part part : step.parts()) {
      Pending request = new Pending(part);
      pending.add(request);
      request.answer = ask(part);
    }
    store()
        .scheduler()
        .runUntil(() -> pending.stream().allMatch(request -> isDone(request.answer)), PATIENCE);
    Moment moment = new Moment(clock.monotonicNanos(), possible(false), possible(true));
    for (Pending request : pending) {
      if (isLate(request.answer)) {
        late.add(request.part);
      }
    }
    pending.clear();
    moments.add(moment);
  }

  private CompletableFuture<?> ask(SweepStep.Part part) {
    try {
      return part.action().apply(store());
    } catch (AssertionError missing) {
      if (missing.getCause() instanceof SchemaException) {
        // The family of this request was not made, since an earlier step failed.
        return CompletableFuture.failedFuture(missing.getCause());
      }
      throw missing;
    }
  }

  private static boolean isDone(@Nullable CompletableFuture<?> answer) {
    return answer != null && answer.isDone();
  }

  /** The store was closed or replayed: what it holds now is durable. */
  private void forgetOlder() {
    Moment last = moments.get(moments.size() - 1);
    moments.clear();
    moments.add(last);
    late.clear();
  }

  /** What the store may hold now. */
  Set<SweepState> possible() {
    return possible(false);
  }

  /**
   * What a reboot may find, if the power goes now: as {@link #possible}; and in periodic mode the
   * store as it was before anything that was acknowledged within the last period.
   */
  Set<SweepState> possibleAfterPowerLoss() {
    if (settings.syncBeforeAck()) {
      return possible(false);
    }
    Set<SweepState> states = possible(true);
    long oldest = clock.monotonicNanos() - settings.syncPeriod().toNanos();
    for (int i = moments.size() - 1; i > 0 && moments.get(i).nanos() >= oldest; i--) {
      states.addAll(moments.get(i).passed());
      states.addAll(moments.get(i - 1).states());
    }
    return states;
  }

  /**
   * The states after the last finished step and what is asked now.
   *
   * @param shorter also those in which only the first of what is asked now was done
   */
  private Set<SweepState> possible(boolean shorter) {
    Set<SweepState> states = new LinkedHashSet<>(moments.get(moments.size() - 1).states());
    Set<SweepState> all = new LinkedHashSet<>(states);
    for (Pending request : pending) {
      Outcome outcome = outcome(request.answer);
      if (outcome != Outcome.REFUSED) {
        Set<SweepState> after = new LinkedHashSet<>();
        for (SweepState state : states) {
          after.add(request.part.change().apply(state));
        }
        if (outcome == Outcome.UNKNOWN) {
          after.addAll(states);
        }
        states = after;
        all.addAll(after);
      }
    }
    return withLate(shorter ? all : states);
  }

  /** Schema changes that timed out are made one after the other when the disk allows it. */
  private Set<SweepState> withLate(Set<SweepState> states) {
    Set<SweepState> all = new LinkedHashSet<>(states);
    for (SweepState state : states) {
      SweepState after = state;
      for (SweepStep.Part part : late) {
        after = part.change().apply(after);
        all.add(after);
      }
    }
    return all;
  }

  private static boolean isLate(@Nullable CompletableFuture<?> answer) {
    return answer != null
        && answer.isCompletedExceptionally()
        && answer.handle((value, failure) -> failure).join()
            instanceof CoordinationException.ReplicaTimeout;
  }

  private Outcome outcome(@Nullable CompletableFuture<?> answer) {
    if (answer == null || !answer.isDone()) {
      return Outcome.UNKNOWN;
    }
    try {
      answer.join();
      return Outcome.DONE;
    } catch (CompletionException e) {
      return outcome(e.getCause());
    }
  }

  private Outcome outcome(@Nullable Throwable failure) {
    if (failure instanceof InjectedError) {
      typedFailures.add(failure.getMessage());
      return Outcome.UNKNOWN;
    }
    if (failure != null && String.valueOf(failure.getMessage()).contains("/memory/")) {
      throw new AssertionError("a caller is told a path of the host, at " + at, failure);
    }
    if (failure instanceof SchemaException
        || failure instanceof CoordinationException.Overloaded
        || failure instanceof CoordinationException.DiskFull
        || failure instanceof CoordinationException.NodeNotReady) {
      typedFailures.add(failure.getMessage());
      return Outcome.REFUSED;
    }
    if (failure instanceof CoordinationException.StorageFailed
        || failure instanceof CoordinationException.ReplicaTimeout) {
      typedFailures.add(failure.getMessage());
      return Outcome.UNKNOWN;
    }
    throw new AssertionError("not a failure that a caller can be told, at " + at, failure);
  }
}
