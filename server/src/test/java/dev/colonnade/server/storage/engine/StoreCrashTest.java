package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: at whatever moment the machine stops, the store opens again, holds what was acknowledged
 * and nothing that was deleted, and works. Method: a random script of writes, deletions, flushes,
 * merges, rotations, truncations, schema changes and restarts runs on a simulated disk. After each
 * file operation that changes something, the disk as a crash at that moment could leave it is
 * opened and compared with a plain model, for several outcomes of that crash: all that was not
 * synced is lost; all of it was kept (only the process died); and random parts of it were kept. The
 * request in progress may have happened or not. Every so often the opening itself is crashed in the
 * same manner.
 *
 * <p>{@code -Dcolonnade.sweep.states=10000} checks that many states in each mode, {@code
 * -Dcolonnade.sweep.seed=N} repeats a run.
 */
class StoreCrashTest {

  private static final long STATES = Long.getLong("colonnade.sweep.states", 600);
  private static final long SEED = Long.getLong("colonnade.sweep.seed", 20_261_121);

  /** Crashes with a random part of what was not synced, at each operation. */
  private static final int RANDOM_OUTCOMES = 2;

  /**
   * One in this many states is not only opened but written to, flushed, merged and opened again.
   */
  private static final int WORKED_WITH = 4;

  /** In one of this many states the opening is swept as well. */
  private static final int OPENING_SWEPT = 400;

  /** File operations of a script after which crashes are tried. */
  private static final long OPERATIONS = Math.max(300, STATES / 8);

  /** More than enough for that. */
  private static final int STEPS = (int) OPERATIONS;

  @ParameterizedTest
  @ValueSource(strings = {"batch", "periodic"})
  void everyStateThatACrashCanLeaveOpensWithWhatWasAcknowledged(String mode) throws Exception {
    EngineSettings settings =
        EngineSettingsBuilder.of(SimulatedStore.TINY)
            .withSync(mode.equals("batch"), Duration.ofSeconds(1))
            .build();
    Sweep sweep = new Sweep(settings, mode);
    for (long script = 0; sweep.states < STATES; script++) {
      sweep.run(SEED + script);
    }
    System.out.println(sweep.report());
    Figures.write(
        "crashes, " + mode,
        Map.of(
            "states",
            sweep.states,
            "of them crashes of an opening",
            sweep.openingStates,
            "file operations",
            sweep.operations,
            "scripts",
            sweep.scripts));
  }

  /** One sweep and its counts. */
  private static final class Sweep {
    private final EngineSettings settings;
    private final String mode;
    private long states;
    private long operations;
    private long scripts;
    private long openingStates;
    private @Nullable AssertionError violation;

    Sweep(EngineSettings settings, String mode) {
      this.settings = settings;
      this.mode = mode;
    }

    /** The first finding comes before its consequences. */
    private void throwViolation() {
      if (violation != null) {
        throw violation;
      }
    }

    void run(long seed) throws Exception {
      RandomSource random = new SeededRandom(seed).fork("crashes");
      List<SweepStep> script = SweepScript.of(new SeededRandom(seed).fork("script"), STEPS);
      SimFileSystem disk = new SimFileSystem();
      SweepRun run = new SweepRun(disk, settings);
      disk.afterEach(() -> crash(disk, run, random, seed));
      run.open();
      for (int i = 0; i < script.size() && disk.operations() < OPERATIONS; i++) {
        try {
          run.perform(i, script.get(i));
        } catch (Exception | Error failure) {
          throwViolation();
          throw failure;
        }
        throwViolation();
        SweepCheck.requireOneOf(
            run.possible(), SweepCheck.contents(run.store()), where(run, seed, "while running"));
      }
      assertEquals(List.of(), run.failures(), "nothing fails on a sound disk");
      assertEquals(List.of(), run.store().scheduler().failures());
      disk.afterEach(() -> {});
      scripts++;
      operations += disk.operations();
    }

    private String where(SweepRun run, long seed, String crash) {
      return mode + ", -Dcolonnade.sweep.seed=" + seed + ", " + run.at() + ", " + crash;
    }

    /** A fault may be found inside a task, which does not report it. */
    private void crash(SimFileSystem disk, SweepRun run, RandomSource random, long seed) {
      try {
        tryCrashes(disk, run, random, seed);
      } catch (AssertionError wrong) {
        violation = wrong;
        disk.afterEach(() -> {});
        throw wrong;
      }
    }

    private void tryCrashes(SimFileSystem disk, SweepRun run, RandomSource random, long seed) {
      Set<SweepState> possible = run.possibleAfterPowerLoss();
      String operation = "operation " + disk.operations() + ", ";
      check(disk.crashClone(), possible, random, where(run, seed, operation + "all lost"));
      check(disk.copy(), run.possible(), random, where(run, seed, operation + "process killed"));
      for (int i = 0; i < RANDOM_OUTCOMES; i++) {
        check(
            disk.crashClone(random),
            possible,
            random,
            where(run, seed, operation + "outcome " + i));
      }
    }

    private void check(
        SimFileSystem after, Set<SweepState> possible, RandomSource random, String outcome) {
      states++;
      String where = outcome + ", state " + states;
      try {
        if (states % OPENING_SWEPT == 0) {
          sweepOpening(after, possible, random, where);
        } else if (states % WORKED_WITH == 0) {
          SweepCheck.opensAndWorks(after, settings, possible, random, where);
        } else {
          SweepCheck.opens(after, settings, possible, where);
        }
      } catch (IOException e) {
        throw new AssertionError(where, e);
      }
    }

    /** Crashes at each operation of an opening; whatever it finds is there every time. */
    private void sweepOpening(
        SimFileSystem after, Set<SweepState> possible, RandomSource random, String where)
        throws IOException {
      List<SimFileSystem> crashed = new ArrayList<>();
      after.afterEach(
          () -> {
            crashed.add(after.crashClone());
            crashed.add(after.crashClone(random));
          });
      SweepCheck.opens(after, settings, possible, where);
      after.afterEach(() -> {});
      for (SimFileSystem again : crashed) {
        states++;
        openingStates++;
        SweepCheck.opens(again, settings, possible, where + ", crashed while opening");
      }
      assertTrue(!crashed.isEmpty(), "an opening changes something");
    }

    String report() {
      return "crash sweep, "
          + mode
          + ": "
          + states
          + " states ("
          + openingStates
          + " of them crashes of an opening) after "
          + operations
          + " file operations of "
          + scripts
          + " scripts, no violation; -Dcolonnade.sweep.seed="
          + SEED;
    }
  }
}
