package dev.colonnade.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker itself: what it accepts, what it finds, and that it agrees with a plain one. */
final class RegisterCheckTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Nothing, or nothing that was answered.
        "?R=x R:0",
        "?R=x",
        "+A=x5 ?R=x",
        "+A=x5 A! +B=x6 B! ?R=x",
        // A read sees what was acknowledged before, or what is newer.
        "+A=x5 A! ?R=x R:5",
        "+A=x5 A! +B=x6 B! ?R=x R:6",
        "+A=x5 A! +B=x6 ?R=x R:6 B!",
        "+A=x5 A! +B=x6 ?R=x R:5 B!",
        "+A=x5 ?R=x A! R:0",
        "+A=x5 ?R=x A! R:5",
        "?R=x +A=x5 A! R:0",
        "?R=x +A=x5 A! R:5",
        "?R=x +A=x5 A! +B=x6 B! R:5",
        "?R=x +A=x5 A! +B=x6 B! R:0",
        // An older timestamp loses at once, although it was acknowledged later.
        "+A=x5 A! +B=x4 B! ?R=x R:5",
        "+A=x5 A! +B=x4 B! ?R=x R:5 ?S=x S:5",
        "+A=x9 +B=x4 B! ?R=x R:4 A! ?S=x S:9",
        // Reads that overlap may see either, in any order of their ends.
        "+A=x5 A! +B=x6 ?R=x ?S=x R:6 S:5 B!",
        "+A=x5 A! +B=x6 ?R=x ?S=x S:5 R:6 B!",
        "+A=x5 A! +B=x6 ?R=x R:5 ?S=x S:6 B!",
        "+A=x5 ?R=x ?S=x R:5 S:0",
        // A write of unknown outcome may show, at once or late, or never.
        "+A=x5 A? ?R=x R:0",
        "+A=x5 A? ?R=x R:5",
        "+A=x5 A? ?R=x R:0 ?S=x S:5",
        "+A=x5 A? ?R=x R:0 ?S=x S:5 ?T=x T:5",
        "+A=x5 ?R=x R:0 ?S=x S:5",
        "+A=x5 A! +B=x6 B? ?R=x R:5 ?S=x S:6 ?T=x T:6",
        "+A=x5 A! +B=x6 B? ?R=x R:5 ?S=x S:5",
        "+A=x5 A? +B=x6 B! ?R=x R:6",
        // Refused writes are never seen.
        "+A=x5 A- ?R=x R:0",
        "+A=x5 A! +B=x6 B- ?R=x R:5",
        "+A=x5 A- +B=x5 B! ?R=x R:5",
        "+A=x5 A! +B=x5 B- ?R=x R:5",
        // Deletions.
        "+A=x5 A! +D=x~6 D! ?R=x R:0",
        "+A=x5 A! +D=x~5 D! ?R=x R:0",
        "+D=x~6 D! +A=x5 A! ?R=x R:0",
        "+A=x5 A! +D=x~6 D! +B=x7 B! ?R=x R:7",
        "+A=x5 A! +D=x~6 ?R=x R:5 D!",
        "+A=x5 A! +D=x~6 ?R=x R:0 D!",
        "+A=x5 A! +D=x~6 D? ?R=x R:5 ?S=x S:0",
        "+A=x5 A! +D=x~6 D? ?R=x R:0 ?S=x S:0",
        "+A=x5 A! +D=x~6 D? ?R=x R:0 +B=x7 B! ?S=x S:7",
        "+A=x5 A! +D=x~6 D- ?R=x R:5",
        "+A=x5 A! +D=x~4 D! ?R=x R:5",
        "+D=x~6 D! ?R=x R:0",
        "+A=x5 A! +D=x~6 +E=x~8 ?R=x R:0 D! E! ?S=x S:0",
        // Registers are independent of each other.
        "+A=x5 A! ?R=y R:0",
        "+A=x5 A! +B=y6 B! ?R=x R:5 ?S=y S:6",
        "+A=x5 A! +D=y~9 D! ?R=x R:5",
        "+A=y9 A? +B=x5 B! ?R=y R:9 ?S=x S:5",
      })
  void whatCanHaveBeenPasses(String text) {
    assertEquals(List.of(), RegisterCheck.violations(HistoryText.parse(text)), text);
    assertTrue(PlainRegisterCheck.isGood(HistoryText.parse(text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // An acknowledged write is lost.
        "+A=x5 A! ?R=x R:0",
        "+A=x5 A! +B=x6 B! ?R=x R:5",
        "+A=x5 A! +B=x6 B! ?R=x R:0",
        "+A=x5 +B=x6 B! A! ?R=x R:5",
        "+A=x5 A! ?R=x R:5 ?S=x S:0",
        "+A=x5 A! ?R=x R:0 ?S=x S:5",
        "+A=x5 A! +B=x6 ?R=x R:0 B!",
        "+A=x5 A! +B=x4 B! ?R=x R:4",
        "+A=x5 A! +B=x6 B? ?R=x R:0",
        "+A=x5 ?Q=x A! Q:0 ?R=x R:0",
        "+A=x1 A! +B=x2 B! +C=x3 C! ?R=x R:3 ?S=x S:2",
        "+A=x1 A! +B=x2 B! +C=x3 C! ?R=x R:1",
        "+A=x1 A! +B=x2 B! +C=x3 ?R=x R:1 C!",
        // A later read is older than an earlier one.
        "+A=x5 A! +B=x6 ?R=x R:6 ?S=x S:5 B!",
        "+A=x5 A! +B=x6 ?R=x R:6 B! ?S=x S:5",
        "+A=x5 A! +B=x6 B? ?R=x R:6 ?S=x S:5",
        "+A=x5 A? ?R=x R:5 ?S=x S:0",
        "+A=x5 ?R=x R:5 ?S=x S:0 A!",
        "+A=x5 +B=x6 ?R=x R:6 ?S=x S:5",
        "+A=x5 +B=x6 ?R=x ?T=x R:6 ?S=x T:5 S:5",
        "+A=x5 A! +B=x6 B? ?R=x R:6 +C=x7 C? ?S=x S:5",
        "+A=x5 A! +B=x6 B? ?R=x R:6 ?S=x S:6 ?T=x T:5",
        "+A=x5 A! +B=x6 ?R=x R:5 ?S=x S:6 ?T=x T:5 B!",
        // The value was never written, or not there, or not yet.
        "?R=x R:5",
        "+A=x5 A! ?R=x R:6",
        "+A=y5 A! ?R=x R:5",
        "?R=x R:5 +A=x5 A!",
        "?R=x R:5 +A=x5 A?",
        "+A=x5 A! ?R=x R:6 +B=x6 B!",
        "+A=x5 A! ?R=y R:5",
        // A refused write is seen.
        "+A=x5 A- ?R=x R:5",
        "+A=x5 ?R=x R:5 A-",
        "+A=x5 ?R=x A- R:5",
        "+A=x5 A! +B=x6 B- ?R=x R:6",
        "+A=x5 A! +B=x6 B- ?R=x R:6 ?S=x S:5",
        "+A=x5 A- +B=x5 B- ?R=x R:5",
        // Deleted and back, or gone and never deleted.
        "+A=x5 A! +D=x~6 D! ?R=x R:5",
        "+A=x5 A! +D=x~5 D! ?R=x R:5",
        "+D=x~6 D! +A=x5 A! ?R=x R:5",
        "+A=x5 A! +D=x~6 D? ?R=x R:0 ?S=x S:5",
        "+A=x5 A! +D=x~6 ?R=x R:0 ?S=x S:5 D!",
        "+A=x5 A! +D=x~6 D- ?R=x R:0",
        "+A=x5 A! +D=x~4 D! ?R=x R:0",
        "+A=x5 A! +D=y~6 D! ?R=x R:0",
        "+A=x5 A! ?R=x R:0 +D=x~6 D!",
        "+A=x5 A! +D=x~6 D! +B=x7 B! ?R=x R:0",
        "+A=x5 A! +D=x~6 D! +B=x7 B! ?R=x R:5",
        "+D=x~6 D! +A=x7 A! ?R=x R:7 ?S=x S:0",
        "+A=x5 A! +D=x~6 D! ?R=x R:0 ?S=x S:5",
        "+A=x5 A! +D=x~6 D- ?R=x R:5 ?S=x S:0",
        // One register is correct, another is not.
        "+A=x5 A! +B=y6 B! ?R=x R:5 ?S=y S:0",
        "+A=x5 A! +B=y6 B! ?R=y R:6 ?S=x S:6",
      })
  void whatCannotHaveBeenIsFound(String text) {
    assertFalse(RegisterCheck.violations(HistoryText.parse(text)).isEmpty(), text);
    assertFalse(PlainRegisterCheck.isGood(HistoryText.parse(text)), text);
  }

  @Test
  void whatOneRegisterInOnePlaceShowsPasses() {
    for (long seed = 0; seed < 1_000; seed++) {
      RegisterHistory history = RandomHistories.good(seed, 120);
      assertEquals(List.of(), RegisterCheck.violations(history), "seed " + seed);
    }
  }

  @Test
  void aReadThatIsMadeOlderIsFound() {
    int changed = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      RegisterHistory history = RandomHistories.good(seed, 120);
      if (makeARead(history, new Random(seed))) {
        changed++;
        assertFalse(RegisterCheck.violations(history).isEmpty(), "seed " + seed);
      }
    }
    assertTrue(changed > 500, changed + " histories could be spoiled");
  }

  /** Makes one read see something older than an earlier read saw. */
  private static boolean makeARead(RegisterHistory history, Random random) {
    List<RegisterHistory.Read> reads = history.endedReads("x");
    for (int attempt = 0; attempt < 20 && !reads.isEmpty(); attempt++) {
      RegisterHistory.Read later = reads.get(random.nextInt(reads.size()));
      Version newest = null;
      for (RegisterHistory.Read earlier : reads) {
        if (earlier.end < later.begin && isNewer(earlier.seen, newest)) {
          newest = earlier.seen;
        }
      }
      Version floor = newest;
      for (RegisterHistory.Write write : history.writes("x")) {
        if (floor != null && !write.version.isDeletion() && write.version.compareTo(floor) < 0) {
          later.seen = write.version;
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isNewer(@Nullable Version version, @Nullable Version than) {
    return version != null && (than == null || version.compareTo(than) > 0);
  }

  @Test
  void itAgreesWithThePlainCheckerOnAnything() {
    int good = 0;
    for (long seed = 0; seed < 5_000; seed++) {
      boolean plain = PlainRegisterCheck.isGood(RandomHistories.any(seed, 24));
      good += plain ? 1 : 0;
      assertEquals(
          plain, RegisterCheck.violations(RandomHistories.any(seed, 24)).isEmpty(), "seed " + seed);
    }
    assertTrue(good > 500 && good < 4_500, good + " of 5000 are good");
  }
}
