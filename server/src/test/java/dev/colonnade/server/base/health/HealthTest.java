package dev.colonnade.server.base.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthTest {

  private final Health health = new Health();

  @Test
  void theGravestConditionDecidesAndTheRestIsStillTold() {
    health.raise(Condition.DAMAGED_FILES, "ks.cf", Impact.NOTICE, "one file");
    assertTrue(health.report().impact().isReady());
    health.raise(Condition.COMMIT_LOG, Impact.NO_WRITES, "the commit log failed");
    health.raise(Condition.STALLED, "stage READ", Impact.UNFAVOURABLE, "stands still");

    Health.Report report = health.report();
    assertEquals(Impact.NO_WRITES, report.impact());
    assertEquals(
        Optional.of("the commit log failed; stage READ: stands still"), report.whyNotReady());
    assertEquals(Optional.empty(), report.whyNotServing());
    assertEquals(3, report.problems().size());

    health.clear(Condition.COMMIT_LOG);
    assertEquals(Impact.UNFAVOURABLE, health.report().impact());
    health.clear(Condition.STALLED, "stage READ");
    health.clear(Condition.DAMAGED_FILES, "ks.cf");
    assertEquals(Health.Report.SOUND, health.report());
  }

  @Test
  void oneConditionHoldsForSeveralSubjectsAndIsReplacedForTheSame() {
    health.raise(Condition.STALLED, "a", Impact.UNFAVOURABLE, "for 5 s");
    health.raise(Condition.STALLED, "b", Impact.UNFAVOURABLE, "for 5 s");
    health.raise(Condition.STALLED, "a", Impact.NOT_SERVING, "for 50 s");
    assertEquals(Optional.of("a: for 50 s"), health.report().whyNotServing());
    health.clear(Condition.STALLED, "a");
    assertEquals(Optional.of("b: for 5 s"), health.report().whyNotReady());
  }

  @Test
  void listenersAreToldOfChangesOnlyAndFindThemMade() {
    List<Impact> found = new ArrayList<>();
    health.listen(() -> found.add(health.report().impact()));
    health.raise(Condition.MANIFEST, Impact.NO_WRITES, "failed");
    health.raise(Condition.MANIFEST, Impact.NO_WRITES, "failed");
    health.clear(Condition.COMMIT_LOG);
    health.clear(Condition.MANIFEST);
    assertEquals(List.of(Impact.NO_WRITES, Impact.NONE), found);
  }

  @Test
  void whatIsGossipedIsReadAsItWasMeantAlsoByOlderNodes() {
    health.raise(Condition.STARTING, Impact.NOT_READY, "starting");
    assertEquals("", health.report().gossiped(100), "peers ask a starting node as ever");
    health.raise(Condition.MERGE, "K.F", Impact.NOTICE, "no merges");
    assertEquals("notice:K.F: no merges", health.report().gossiped(100));
    assertTrue(Impact.parse("notice:K.F: no merges").isFavourable());
    health.clear(Condition.MERGE, "K.F");
    health.raise(Condition.COMMIT_LOG, Impact.NO_WRITES, "the commit log failed");
    String gossiped = health.report().gossiped(100);
    assertEquals("no-writes:the commit log failed", gossiped);
    assertEquals("no-writes:the", health.report().gossiped(13));

    assertEquals(Impact.NO_WRITES, Impact.parse(gossiped));
    assertEquals(Impact.NONE, Impact.parse(""));
    assertEquals(Impact.UNFAVOURABLE, Impact.parse("some-later-word:reason"));
  }

  @Test
  void workThatFailsAgainAndAgainIsAConditionUntilItSucceeds() {
    RepeatedFailures failures =
        new RepeatedFailures(health, Condition.FLUSH, Impact.NOTICE, Impact.UNFAVOURABLE);
    failures.failed("a", "cannot be written");
    failures.failed("b", "cannot be written");
    failures.failed("a", "cannot be written");
    assertEquals(Impact.NOTICE, health.report().impact());
    failures.failed("a", "cannot be written");
    assertEquals(Impact.UNFAVOURABLE, health.report().impact());
    assertEquals("a: cannot be written", health.report().whyNotReady().orElseThrow());
    failures.over("a");
    assertEquals(Impact.NOTICE, health.report().impact(), "b has failed once");
    failures.failed("a", "cannot be written");
    assertEquals(Impact.NOTICE, health.report().impact(), "counting begins again");
    failures.over("a");
    failures.over("b");
    failures.over("c");
    assertEquals(Health.Report.SOUND, health.report());

    RepeatedFailures quietAtFirst =
        new RepeatedFailures(health, Condition.MERGE, Impact.NONE, Impact.NOTICE);
    quietAtFirst.failed("a", "no merge");
    quietAtFirst.failed("a", "no merge");
    assertEquals(Health.Report.SOUND, health.report());
    quietAtFirst.failed("a", "no merge");
    assertEquals(Impact.NOTICE, health.report().impact());
  }

  @Test
  void eachImpactWithdrawsWhatTheOnesBeforeItDo() {
    for (Impact impact : Impact.values()) {
      assertEquals(impact.compareTo(Impact.NOT_READY) >= 0, !impact.isReady());
      assertEquals(impact.compareTo(Impact.UNFAVOURABLE) >= 0, !impact.isFavourable());
      assertEquals(impact.compareTo(Impact.NO_WRITES) >= 0, !impact.takesWrites());
      assertEquals(impact.compareTo(Impact.NOT_SERVING) >= 0, !impact.takesReads());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> health.raise(Condition.DISK, Impact.NONE, "nothing is wrong"));
    assertFalse(health.report().whyNotReady().isPresent());
  }
}
