package dev.colonnade.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checkers themselves: what they accept, what they find, and that they agree. */
final class HistoryCheckTest {

  private static final long STEPS = 200_000;

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
    assertEquals(List.of(), HistoryCheck.violations(HistoryText.parse(text)), text);
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
    assertFalse(HistoryCheck.violations(HistoryText.parse(text)).isEmpty(), text);
    assertFalse(PlainRegisterCheck.isGood(HistoryText.parse(text)), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // All of a batch, or nothing.
        "+A=x5ab A! ?R=x R:a5b5",
        "+A=x5ab ?R=x R:a5b5 A!",
        "+A=x5ab ?R=x R:0 A!",
        "+A=x5ab A! +B=x6ab ?R=x R:a5b5 ?S=x S:a6b6 B!",
        "+A=x5ab A? ?R=x R:0 ?S=x S:a5b5",
        // What others wrote beside it.
        "+A=x5ab A! +B=x6b B! ?R=x R:a5b6",
        "+A=x5ab +B=x6b B! ?R=x R:b6 A!",
        "+A=x5ab +B=x6b ?R=x R:a5b6",
        "+A=x5ab A! +D=x~6a D! ?R=x R:b5",
        "+A=x5ab A! +D=x~6* D! ?R=x R:0",
        "+A=x5ab A! +D=x~6* D! +B=x7a B! ?R=x R:a7",
        "+A=x5ab A! +D=x~4* D! ?R=x R:a5b5",
        // Answers of some columns, and weaker ones.
        "+A=x5ab A! +B=x6ab ?R=x R:a6. ?S=x S:a6b6 B!",
        "+A=x5ab A! +B=x6ab ?fR=x R:a6b5 ?fS=x S:a6b5 B!",
        "+A=x5ab A! +B=x6ab ?fR=x R:a6. ?fS=x S:b5. B!",
        "+A=x5a A! +B=x6a ?cR=x R:a=6. ?cS=x S:a=5. B! ?cT=x T:a=6.",
        "+A=x5ab A! +B=x6ab B! ?wR=x R:a5b5",
        "+A=x5ab A! +B=x6ab B! ?wR=x R:a6b6 ?wS=x S:0",
        "+A=x5ab A! +B=x6ab B! ?-R=x R:a5b6",
        // Timestamps of the node.
        "+A=x@5ab A!9 ?R=x R:a5@9b5@9",
        "+A=x@5ab A? ?R=x R:a5@9b5@9 ?S=x S:a5@9b5@9",
        "+A=x@5a A!9 +B=x@6a B!8 ?R=x R:a5@9",
        "+A=x@5a A? ?R=x R:0",
        // Counts.
        "?R=x R#0",
        "+A=x5a A! +B=x6b B! ?R=x R#2",
        "+A=x5a A! +B=x6b ?R=x R#1 ?S=x S#2 B!",
        "+A=x5a A! +B=x6b B! +D=x~7b ?R=x R#1 ?S=x S#2 D!",
        "+A=x5a A! +D=x~7a D? ?R=x R#0 ?S=x S#1",
        "+A=x5a A! +B=x6b B? ?R=x R#1 ?S=x S#2 ?T=x T#1",
        // Values without versions: rights, passwords, families.
        "+A=x5a A! ?R=x R:a=5.",
        "+A=x5a A! ?R=x R:a!6.",
        "?R=x R:a!6.",
        "+A=x5a A! +B=x6a B! ?R=x R:a!5. ?S=x S:a=6.",
        "+A=x5a A! +B=x6a ?R=x R:a!5. ?S=x S:a=6. B!",
        "+A=x5a A! +D=x~6a D! ?R=x R:a0.",
        "+A=x5a A! +B=x6a B? ?R=x R:a=5. ?S=x S:a!5. ?T=x T:a=6.",
      })
  void rowsThatCanHaveBeenPass(String text) {
    assertEquals(List.of(), HistoryCheck.violations(HistoryText.parse(text)), text);
    assertEquals(
        List.of(), LinearizableColumns.of(HistoryText.parse(text), STEPS).violations(), text);
  }

  @ParameterizedTest
  @CsvSource({
    // Part of a batch.
    "TORN, +A=x5ab A! +B=x6ab ?R=x R:a6b5 B!",
    "TORN, +A=x5ab A! +B=x6ab ?wR=x R:a6b5 B!",
    "TORN, +A=x5ab ?R=x R:a5 A!",
    "TORN, +A=x5ab A? ?R=x R:b5",
    "TORN, +A=x5ab A! +D=x~6* ?R=x R:a5 D!",
    "TORN, +A=x5ab A! +D=x~6* ?wR=x R:a5 D!",
    "TORN, +A=x5abcd A! +B=x6abcd B? ?R=x R:a5b5c6d6",
    "TORN, +A=x@5ab A!8 +B=x@6ab B? ?R=x R:a5@8b6@9",
    "WENT_BACK, +A=x5ab A! +B=x6ab ?R=x R:a6. ?S=x S:b5. B!",
    "WENT_BACK, +A=x5ab A! +B=x6ab B? ?R=x R:a6. ?S=x S:a5b5",
    // Stale, lost, back again.
    "STALE, +A=x5ab A! +B=x6a B! ?R=x R:a5b5",
    "STALE, +A=x5ab A! +B=x6ab B! ?R=x R:a5b5",
    "STALE, +A=x@5a A!8 +B=x@6a B!9 ?R=x R:a5@8",
    "LOST, +A=x5ab A! ?R=x R:a0.",
    "LOST, +A=x5ab A! ?fR=x R:a5",
    "LOST, +A=x5ab A! +D=x~4* D! ?R=x R:a0.",
    "RESURRECTED, +A=x5ab A! +D=x~6* D! ?R=x R:a5b5",
    "RESURRECTED, +A=x5ab A! +D=x~6a D! ?R=x R:a5b5",
    "RESURRECTED, +A=x5a A! +D=x~6a D? ?R=x R:0 ?S=x S:a5",
    "WENT_BACK, +A=x5ab A! +B=x6ab ?R=x R:a6b6 ?S=x S:a5b5 B!",
    "WENT_BACK, +A=x5a A! +B=x6a B? ?fR=x R:a6 ?fS=x S:a5",
    // A change of unknown fate that is seen, replaced, and seen again; or made twice.
    "STALE, +A=x5a A? ?R=x R:a5 +B=x6a B! ?S=x S:a6 ?T=x T:a5",
    "TWICE, +A=x@5a A? ?R=x R:a5@8 ?S=x S:a5@9",
    "TWICE, +A=x@5a A!8 ?R=x R:a5@9",
    // From nowhere, from the future, refused.
    "NEVER_WRITTEN, +A=x5a A! ?R=x R:a6",
    "NEVER_WRITTEN, +A=x5a A! ?-R=x R:a6",
    "NEVER_WRITTEN, +A=x5a A! ?R=x R:a5b5",
    "NEVER_WRITTEN, +A=x5a A! ?R=x R:a5@6",
    "FUTURE, ?R=x R:a5 +A=x5a A!",
    "FUTURE, ?-R=x R:a5 +A=x5a A!",
    "REFUSED, +A=x5a A- ?R=x R:a5",
    "REFUSED, +A=x5a A- ?-R=x R:a5",
    // Counts.
    "MISCOUNTED, +A=x5a A! +B=x6b B! ?R=x R#1",
    "MISCOUNTED, +A=x5a A! ?R=x R#2",
    "MISCOUNTED, +A=x5a A- ?R=x R#1",
    "MISCOUNTED, +A=x5a A! +D=x~6a D! ?R=x R#1",
    "MISCOUNTED, ?R=x R#1 +A=x5a A!",
    "MISCOUNTED, +A=x5a A? ?R=x R:a5 ?S=x S#0",
    // Values without versions.
    "STALE, +A=x5a A! +B=x6a B! ?R=x R:a=5.",
    "STALE, +A=x5a A! ?R=x R:a!5.",
    "STALE, +A=x5a A! +B=x6a B! ?cR=x R:a=5.",
    "LOST, +A=x5a A! ?cR=x R:a0.",
    "STALE, +A=x5a A! +D=x~6a D! ?R=x R:a=5.",
    "LOST, +A=x5a A! ?R=x R:a0.",
    "NEVER_WRITTEN, ?R=x R:a=5.",
    "STALE, +A=x5a A! +B=x6a B? ?R=x R:a!5. ?S=x S:a=5.",
  })
  void rowsThatCannotHaveBeenAreFound(Violation.Kind kind, String text) {
    List<Violation> violations = HistoryCheck.violations(HistoryText.parse(text));
    assertTrue(
        violations.stream().anyMatch(found -> found.kind() == kind), text + ": " + violations);
  }

  @ParameterizedTest
  @ValueSource(strings = {"c", "ab", "abcd"})
  void whatOneRowInOnePlaceShowsPasses(String columns) {
    for (long seed = 0; seed < 1_000; seed++) {
      History history = RandomHistories.good(seed, 120, columns);
      assertEquals(List.of(), HistoryCheck.violations(history), "seed " + seed);
      LinearizableColumns.Found found = LinearizableColumns.of(history, STEPS);
      assertEquals(List.of(), found.violations(), "seed " + seed);
      assertEquals(0, found.undecided(), "seed " + seed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"c", "abc"})
  void aReadThatIsMadeOlderIsFound(String columns) {
    int changed = 0;
    long undecided = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      History history = RandomHistories.good(seed, 120, columns);
      if (makeARead(history, columns.substring(0, 1), new Random(seed))) {
        changed++;
        assertFalse(HistoryCheck.violations(history).isEmpty(), "seed " + seed);
        LinearizableColumns.Found found = LinearizableColumns.of(history, STEPS);
        undecided += found.undecided();
        assertFalse(found.violations().isEmpty() && found.undecided() == 0, "seed " + seed);
      }
    }
    assertTrue(changed > 400, changed + " histories could be spoiled");
    assertTrue(undecided < 20, undecided + " histories took the search too long");
  }

  @Test
  void anAnswerThatMixesTwoBatchesIsFound() {
    int changed = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      History history = RandomHistories.good(seed, 120, "ab");
      if (tear(history, new Random(seed))) {
        changed++;
        assertTrue(
            HistoryCheck.violations(history).stream()
                .anyMatch(found -> found.kind() == Violation.Kind.TORN),
            "seed " + seed);
      }
    }
    assertTrue(changed > 400, changed + " histories could be spoiled");
  }

  /** Takes one column of an answer from before the batch that the other one shows. */
  private static boolean tear(History history, Random random) {
    List<History.Read> reads = history.reads("x");
    for (int attempt = 0; attempt < 20 && !reads.isEmpty(); attempt++) {
      Answer answer = reads.get(random.nextInt(reads.size())).answer;
      Seen first = answer == null ? null : answer.seen().get("a");
      Seen second = answer == null ? null : answer.seen().get("b");
      if (answer == null || first == null || second == null || !isBatch(history, first, second)) {
        continue;
      }
      for (History.Write write : history.writes("x")) {
        String older = write.change.values().get("b");
        if (older != null && write.timestamp < timestamp(second)) {
          answer.saw("b", Seen.version(write.timestamp, older));
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isBatch(History history, Seen first, Seen second) {
    return history.writes("x").stream()
        .map(write -> write.change.values())
        .anyMatch(
            values ->
                Objects.equals(values.get("a"), first.value())
                    && Objects.equals(values.get("b"), second.value()));
  }

  private static long timestamp(Seen seen) {
    return Objects.requireNonNull(seen.version()).timestamp();
  }

  /** Makes one read see something older than an earlier read saw. */
  private static boolean makeARead(History history, String column, Random random) {
    List<History.Read> reads = history.reads("x").stream().filter(read -> read.count < 0).toList();
    for (int attempt = 0; attempt < 20 && !reads.isEmpty(); attempt++) {
      History.Read later = reads.get(random.nextInt(reads.size()));
      Version newest = null;
      for (History.Read earlier : reads) {
        if (earlier.end < later.begin && isNewer(seen(earlier, column), newest)) {
          newest = seen(earlier, column);
        }
      }
      for (History.Write write : history.writes("x")) {
        String value = write.change.values().get(column);
        if (newest != null
            && value != null
            && new Version(write.timestamp, value).compareTo(newest) < 0) {
          later.answer = Answer.ofRow().saw(column, Seen.version(write.timestamp, value));
          return true;
        }
      }
    }
    return false;
  }

  private static @Nullable Version seen(History.Read read, String column) {
    Seen seen = read.answer == null ? null : read.answer.of(column);
    return seen == null ? null : seen.version();
  }

  private static boolean isNewer(@Nullable Version version, @Nullable Version than) {
    return version != null && (than == null || version.compareTo(than) > 0);
  }

  @Test
  void itAgreesWithThePlainCheckerAndWithTheSearchOnAnything() {
    int good = 0;
    for (long seed = 0; seed < 5_000; seed++) {
      History history = RandomHistories.any(seed, 24, "c");
      boolean plain = PlainRegisterCheck.isGood(history);
      good += plain ? 1 : 0;
      assertEquals(plain, HistoryCheck.violations(history).isEmpty(), "seed " + seed);
      if (RandomHistories.isOrdered(seed)) {
        // The search demands more of a change that is older than one it began after.
        assertEquals(
            plain, LinearizableColumns.of(history, STEPS).violations().isEmpty(), "seed " + seed);
      }
    }
    assertTrue(good > 500 && good < 4_500, good + " of 5000 are good");
  }

  @Test
  void aFileHasTheSameHistory(@TempDir Path folder) throws IOException {
    for (long seed = 0; seed < 200; seed++) {
      History history =
          seed % 2 == 0
              ? RandomHistories.good(seed, 120, "abc")
              : RandomHistories.any(seed, 24, "ab");
      Path file = folder.resolve("history");
      HistoryFile.write(history, file);
      History again = HistoryFile.read(file);
      assertEquals(
          HistoryCheck.violations(history), HistoryCheck.violations(again), "seed " + seed);
      Path second = folder.resolve("again");
      HistoryFile.write(again, second);
      assertEquals(Files.readString(file), Files.readString(second), "seed " + seed);
    }
  }

  @Test
  void aHistoryOfAHundredThousandCallsIsCheckedInSeconds() {
    History history = RandomHistories.good(1, 200_000, "abcd");
    assertEquals(List.of(), HistoryCheck.violations(history));
  }
}
