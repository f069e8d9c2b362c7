package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.sim.FaultPlan;
import dev.colonnade.server.sim.Figures;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.InjectedError;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: whichever file operation fails, callers get a typed failure or are not affected, nothing is
 * acknowledged that is not kept, no failed sync is repeated, reads continue, and after the next
 * start everything acknowledged is there. Method: a random script runs on a disk whose k-th
 * operation (of any kind, reads included) fails, once or from then on, with each kind of failure;
 * then the disk works again, and a store that still accepts writes must work, with what it holds
 * compared with a plain model, and so must the store after a restart of the process and after a
 * power loss.
 *
 * <p>{@code -Dcolonnade.sweep.failures=16000} makes that many runs in each mode, {@code
 * -Dcolonnade.sweep.seed=N} repeats them.
 */
class StoreFailureSweepTest {

  private static final long RUNS = Long.getLong("colonnade.sweep.failures", 120);
  private static final long SEED = Long.getLong("colonnade.sweep.seed", 20_261_121);

  /** Ends the description of the only failure to run; of all if empty. */
  private static final String ONLY = System.getProperty("colonnade.sweep.only", "");

  private static final int STEPS = 40;

  /** Steps between variants; has no factor in common with any sensible number of them. */
  private static final long STRIDE = 7_919;

  private static final List<FileFault> FAULTS =
      List.of(
          FileFault.ERROR,
          FileFault.NO_SPACE,
          FileFault.SHORT_WRITE,
          FileFault.READ_ONLY,
          FileFault.NO_DESCRIPTORS,
          FileFault.THROWN_ERROR);

  @ParameterizedTest
  @ValueSource(strings = {"batch", "periodic"})
  void whateverOperationFailsNothingAcknowledgedIsLostAndCallersAreTold(String mode)
      throws Exception {
    EngineSettings settings =
        EngineSettingsBuilder.of(SimulatedStore.TINY)
            .withSync(mode.equals("batch"), Duration.ofSeconds(1))
            .build();
    Sweep sweep = new Sweep(settings, mode);
    for (long seed = SEED; sweep.runs < RUNS && (ONLY.isEmpty() || seed == SEED); seed++) {
      sweep.script(seed);
    }
    System.out.println(sweep.report());
    Figures.write(
        "failures, " + mode,
        Map.of(
            "runs",
            sweep.runs,
            "scripts",
            sweep.scripts,
            "operations failed",
            sweep.fired,
            "failures told to callers",
            sweep.told,
            "stores that took no more writes",
            sweep.stopped));
  }

  /** One sweep and its counts. */
  private static final class Sweep {
    private final EngineSettings settings;
    private final String mode;
    private long runs;
    private long scripts;
    private long fired;
    private long stopped;
    private long told;

    Sweep(EngineSettings settings, String mode) {
      this.settings = settings;
      this.mode = mode;
    }

    /** All operations of a script, each with all failures; or a share of them, evenly spread. */
    void script(long seed) throws Exception {
      List<SweepStep> script = SweepScript.of(new SeededRandom(seed).fork("script"), STEPS);
      List<Long> operations = new ArrayList<>();
      for (FileFault fault : FAULTS) {
        SimFileSystem disk = new SimFileSystem();
        FaultPlan.Rule counter = disk.plan().add(fault).from(Long.MAX_VALUE);
        SweepRun whole = new SweepRun(disk, settings);
        perform(whole, script, fault, "without failures");
        assertEquals(List.of(), whole.failures());
        operations.add(counter.seen());
      }
      long variants = 2 * operations.stream().mapToLong(count -> count).sum();
      for (long i = 0; i < variants && runs < RUNS; i++) {
        long variant = Math.floorMod(i * STRIDE, variants);
        boolean once = variant % 2 == 0;
        long operation = variant / 2;
        int fault = 0;
        while (operation >= operations.get(fault)) {
          operation -= operations.get(fault++);
        }
        String where =
            mode
                + ", -Dcolonnade.sweep.seed="
                + seed
                + ", "
                + FAULTS.get(fault)
                + (once ? " at operation " : " from operation ")
                + (operation + 1);
        if (!where.endsWith(ONLY)) {
          continue;
        }
        try {
          run(script, FAULTS.get(fault), operation + 1, once, new SeededRandom(i), where);
        } catch (AssertionError | Exception e) {
          throw new AssertionError(where + ": " + e.getMessage(), e);
        }
        runs++;
      }
      scripts++;
    }

    private static void perform(SweepRun run, List<SweepStep> script, FileFault fault, String where)
        throws Exception {
      run.open();
      for (int i = 0; i < script.size() && !run.isBlurred(); i++) {
        run.perform(i, script.get(i));
        checkReads(run, fault, where);
      }
    }

    private void run(
        List<SweepStep> script,
        FileFault fault,
        long operation,
        boolean once,
        RandomSource random,
        String where)
        throws Exception {
      SimFileSystem disk = new SimFileSystem();
      FaultPlan.Rule rule = disk.plan().add(fault).from(operation);
      if (once) {
        rule.once();
      }
      SweepRun run = new SweepRun(disk, settings);
      boolean open = false;
      try {
        perform(run, script, fault, where);
        open = true;
      } catch (IOException | CompletionException | InjectedError refusedToStartOrStop) {
        told++;
        if (refusedToStartOrStop instanceof CompletionException
            && !(refusedToStartOrStop.getCause() instanceof InjectedError)) {
          throw refusedToStartOrStop;
        }
        assertTrue(disk.plan().fired() > 0, "no reason to refuse: " + refusedToStartOrStop);
      }
      fired += disk.plan().fired();
      told += run.failures().size();
      disk.plan().clear();
      if (open) {
        checkStillOpen(run, where);
      }
      assertEquals(List.of(), disk.retriedSyncs(), "synced once more after a failure");
      checkAfterwards(disk, run, fault, random, where);
    }

    /** Reads that need a file may fail with a disk error; what they answer is right. */
    private static void checkReads(SweepRun run, FileFault fault, String where) {
      SweepState found;
      try {
        found = SweepCheck.contents(run.store());
      } catch (CompletionException e) {
        assertTrue(
            (fault == FileFault.ERROR
                    && e.getCause() instanceof CoordinationException.StorageFailed)
                || e.getCause() instanceof InjectedError,
            () -> "not a failure that a reader can be told: " + e);
        return;
      }
      SweepCheck.requireOneOf(run.possible(), found, where + ", " + run.at());
    }

    /** The disk works again: a store that still accepts writes works without a restart. */
    private void checkStillOpen(SweepRun run, String where) {
      SimulatedStore store = run.store();
      store.scheduler().advance(Duration.ofSeconds(45));
      SweepCheck.requireOneOf(
          run.possible(), SweepCheck.contents(store), where + ", the disk is well again");
      assertEquals(List.of(), unexpected(store.scheduler().failures()), where);
      assertEquals(List.of(), store.engine().claims(), where + ": claimed for ever");
      if (store.engine().failure().isPresent()) {
        stopped++;
        return;
      }
      SweepCheck.takesWrites(store, where);
      SweepCheck.purges(store, where);
      assertEquals(List.of(), store.engine().claims(), where + ": claimed for ever");
    }

    /** Without the injected errors: a task of a stage may end with one. */
    private static List<? extends Throwable> unexpected(List<? extends Throwable> failures) {
      return failures.stream().filter(failure -> !(failure instanceof InjectedError)).toList();
    }

    private void checkAfterwards(
        SimFileSystem disk, SweepRun run, FileFault fault, RandomSource random, String where)
        throws IOException {
      boolean lostAPromise = !settings.syncBeforeAck() && run.hasFailed();
      if (!lostAPromise) {
        Set<SweepState> possible = SweepCheck.afterWrite(run.possibleAfterPowerLoss());
        SweepCheck.opens(disk.crashClone(), settings, possible, where + ", power lost");
        SweepCheck.opens(disk.crashClone(random), settings, possible, where + ", power lost");
      }
      if (run.isOpen()) {
        run.killed();
      } else {
        if (fault != FileFault.THROWN_ERROR) {
          // A start that an error ends is the end of the process, which closes them.
          assertEquals(List.of(), disk.openFiles(), where + ": files left open");
        }
        disk.kill();
      }
      Set<SweepState> possible = SweepCheck.afterWrite(run.possible());
      SweepState found = SweepCheck.opens(disk, settings, possible, where + ", process killed");
      assertEquals(List.of(), disk.retriedSyncs(), where);
      SweepCheck.opens(
          disk.crashClone(random), settings, Set.of(found), where + ", killed, then power lost");
      SweepCheck.opensAndWorks(disk, settings, Set.of(found), random, where + ", opened again");
    }

    String report() {
      return "failure sweep, "
          + mode
          + ": "
          + runs
          + " runs over "
          + scripts
          + " scripts, "
          + fired
          + " operations failed, "
          + told
          + " failures told to callers, "
          + stopped
          + " stores that took no more writes, no violation; -Dcolonnade.sweep.seed="
          + SEED;
    }
  }
}
