package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.B;
import static dev.colonnade.server.cluster.hints.HintFixture.C;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Power failures and failing disks: hints promised to be durable arrive, and nothing else. */
final class HintCrashTest {
  private static final long SEED = Long.getLong("colonnade.sweep.seed", 20_261_121L);

  /** The promises of a run at the moment of the power failure. */
  private static final class Script {
    final HintFixture node;
    final Set<String> attempted = new LinkedHashSet<>();
    final Set<String> promised = new LinkedHashSet<>();

    Script(SimFileSystem disk) throws IOException {
      node = new HintFixture(disk, HintFixture.SMALL);
    }

    void keep(String target, String word, boolean synced) {
      attempted.add(target + " " + word);
      CompletableFuture<Void> kept =
          synced ? node.keepSynced(target, word) : node.keep(target, word);
      var unused =
          kept.thenRun(
              () -> {
                if (synced) {
                  promised.add(target + " " + word);
                }
              });
    }

    void run() {
      for (int i = 0; i < 24; i++) {
        keep(i % 3 == 0 ? C : B, "a" + i, i % 4 == 0);
        if (i % 5 == 4) {
          node.scheduler.runUntilIdle();
        }
      }
      node.scheduler.advance(Duration.ofSeconds(1));
      node.comesBack(C);
      for (int i = 0; i < 24; i++) {
        keep(i % 3 == 0 ? C : B, "b" + i, i % 4 == 0);
        node.scheduler.runUntilIdle();
      }
      node.comesBack(B);
      keep(B, "last", true);
      node.scheduler.runUntilIdle();
      var unused = node.hints.stop();
      node.scheduler.runUntilIdle();
    }

    /** A restart on that disk delivers every promised hint that was not delivered before. */
    void check(SimFileSystem found, String when) throws IOException {
      Set<String> due = new LinkedHashSet<>(promised);
      due.removeAll(node.arrived);
      Set<String> may = new LinkedHashSet<>(attempted);
      HintFixture next = node.restartOn(found);
      for (String target : List.of(B, C)) {
        next.comesBack(target);
      }
      assertEquals(List.of(), next.scheduler.failures(), when);
      assertTrue(next.arrived.containsAll(due), when + ": " + due + " in " + next.arrived);
      assertTrue(may.containsAll(next.arrived), when + ": " + next.arrived);
      assertEquals(0, next.hints.totals().damagedSegments(), when);
      assertEquals(List.of(), next.hints.figures(), when);
      assertEquals(List.of(), next.disk.list("hints"), when);
    }
  }

  @Test
  void promisedHintsArriveWheneverThePowerGoes() throws IOException {
    RandomSource random = new SeededRandom(SEED);
    SimFileSystem disk = new SimFileSystem();
    Script script = new Script(disk);
    List<AssertionError> failures = new ArrayList<>();
    int[] states = new int[1];
    disk.afterEach(
        () -> {
          String when = "after operation " + disk.operations() + ", seed " + SEED;
          try {
            script.check(disk.crashClone(), when);
            script.check(disk.crashClone(random), when + ", with parts of the rest");
            script.check(disk.copy(), when + ", with all of the rest");
            states[0] += 3;
          } catch (IOException | AssertionError e) {
            failures.add(new AssertionError(when, e));
          }
        });
    script.run();
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
    assertTrue(states[0] > 300, states[0] + " states");
  }

  @Test
  void aCrashDuringARestartLosesNothing() throws IOException {
    SimFileSystem first = new SimFileSystem();
    Script script = new Script(first);
    for (int i = 0; i < 12; i++) {
      script.keep(B, "a" + i, i % 4 == 0);
      script.node.scheduler.runUntilIdle();
    }
    SimFileSystem disk = first.copy();
    List<SimFileSystem> clones = new ArrayList<>();
    disk.afterEach(() -> clones.add(disk.crashClone()));
    HintFixture next = script.node.restartOn(disk);
    next.comesBack(B);
    assertEquals(12, next.arrived.size());
    assertTrue(clones.size() > 8, clones.size() + " clones");
    // What was delivered need not be delivered again.
    for (SimFileSystem clone : clones.subList(0, 6)) {
      HintFixture again = script.node.restartOn(clone);
      again.comesBack(B);
      assertTrue(again.arrived.containsAll(script.promised), again.arrived.toString());
    }
  }

  @Test
  void eachFailingOperationIsToldAndTheNextHintsAreKept() throws IOException {
    long operations = countOperations();
    for (long failAt = 1; failAt <= operations; failAt++) {
      SimFileSystem disk = new SimFileSystem();
      Script script;
      try {
        disk.failAt(failAt);
        script = new Script(disk);
      } catch (IOException refused) {
        assertTrue(failAt < 4, "operation " + failAt + " stops the start");
        continue;
      }
      script.run();
      String when = "operation " + failAt + " fails";
      assertEquals(List.of(), script.node.scheduler.failures(), when);
      assertEquals(List.of(), disk.retriedSyncs(), when);
      script.check(disk.crashClone(), when);
    }
  }

  private static long countOperations() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    new Script(disk).run();
    return disk.operations();
  }

  @Test
  void aFullDiskRefusesAndTakesHintsAgainWhenThereIsRoom() throws IOException {
    Script script = new Script(new SimFileSystem());
    HintFixture node = script.node;
    script.keep(B, "one", true);
    node.scheduler.runUntilIdle();
    node.disk.plan().add(FileFault.SHORT_WRITE).on(FileOperation.WRITE).once();
    CompletableFuture<Void> second = node.keepSynced(B, "two");
    node.scheduler.runUntilIdle();
    HintsTest.assertRefused(second, "No space");
    script.keep(B, "three", true);
    node.scheduler.runUntilIdle();
    script.check(node.disk.crashClone(), "after a full disk");
    node.comesBack(B);
    assertEquals(HintFixture.at(B, "one", "three"), node.arrived);
    node.disk.capacityBytes(0);
    HintsTest.assertRefused(afterIdle(node, node.keep(B, "four")), "Free some room");
  }

  private static CompletableFuture<Void> afterIdle(HintFixture node, CompletableFuture<Void> kept) {
    node.scheduler.runUntilIdle();
    return kept;
  }

  @Test
  void aFailedSyncIsToldAndNeverRepeated() throws IOException {
    Script script = new Script(new SimFileSystem());
    HintFixture node = script.node;
    script.keep(B, "one", true);
    node.scheduler.runUntilIdle();
    node.disk.plan().add(FileFault.ERROR).on(FileOperation.SYNC).once();
    HintsTest.assertRefused(afterIdle(node, node.keepSynced(B, "two")), "Input/output error");
    script.attempted.add(B + " two");
    script.keep(B, "three", true);
    node.scheduler.runUntilIdle();
    assertEquals(List.of(), node.disk.retriedSyncs());
    script.check(node.disk.crashClone(), "after a failed sync");
    node.comesBack(B);
    assertTrue(
        node.arrived.containsAll(HintFixture.at(B, "one", "three")),
        () -> "what was synced needs no restart: " + node.arrived);
  }

  @Test
  void aSegmentThatCannotBeReadNowIsDeliveredLater() throws IOException {
    HintFixture node = new HintFixture();
    node.keepAll(B, HintFixture.words(40));
    node.disk.plan().add(FileFault.ERROR).on(FileOperation.READ).once();
    node.comesBack(B);
    assertEquals(40, node.arrived.size());
    assertEquals(0, node.hints.totals().damagedSegments());
  }
}
