package dev.colonnade.server.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checkers of sets, quorums, unknown values, convergence and growing numbers. */
final class OtherChecksTest {

  /**
   * Elements with their outcome: a letter, then d (added), r (refused), u (unknown); then the
   * outcome of the removal, if there was one.
   */
  private static SetCheck set(String text) {
    SetCheck set = new SetCheck();
    for (String element : text.trim().split(" +")) {
      String name = element.substring(0, 1);
      set.adding(name);
      set.added(name, outcome(element.charAt(1)));
      if (element.length() > 2) {
        set.removing(name);
        set.removed(name, outcome(element.charAt(2)));
      }
    }
    return set;
  }

  private static Outcome outcome(char letter) {
    return switch (letter) {
      case 'd' -> Outcome.DONE;
      case 'r' -> Outcome.REFUSED;
      default -> Outcome.UNKNOWN;
    };
  }

  private static List<String> letters(String text) {
    return text.chars().filter(c -> c != '.').mapToObj(c -> "" + (char) c).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "ad, a",
    "ad bd, ab",
    "ad bu, a",
    "ad bu, ab",
    "au, .",
    "au, a",
    "ar, .",
    "ar bd, b",
    "add, .",
    "ad bdd, a",
    "adu, a",
    "adu, .",
    "adr, a",
    "add bdu cd, c",
    "add bdu cd, bc",
    "aud, .",
    "auu, a",
    "auu, .",
    "aur, a",
    "aur, .",
    "ar bu cd dd, cd",
    "ar bu cd dd, bcd",
    "add bd cdd dd, bd",
    "adu bdu cdu, b",
    "ad bd cd dd ed fd, abcdef"
  })
  void setsThatCanBePass(String history, String found) {
    assertEquals(List.of(), set(history).violations(letters(found)));
  }

  @ParameterizedTest
  @CsvSource({
    "ad, .",
    "ad bd, a",
    "ad bd, b",
    "ad bu, b",
    "ad, ab",
    "au, b",
    "ar, a",
    "ar bd, ab",
    "ar bd, .",
    "add, a",
    "ad bdd, ab",
    "ad bdd, b",
    "adr, .",
    "add bdu cd, b",
    "add bdu cd, ac",
    "aud, a",
    "aur, x",
    "ar bu cd dd, abcd",
    "ar bu cd dd, bc",
    "add bd cdd dd, abd",
    "ad bd cd dd ed fd, abcdf",
    "ad bd cd dd ed fd, abcdefg",
    "adu, x",
    "ad bdu, b",
    "au, ax"
  })
  void setsThatCannotBeAreFound(String history, String found) {
    assertFalse(set(history).violations(letters(found)).isEmpty());
  }

  @Test
  void takingOneCertainElementAwayIsAlwaysFound() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      SetCheck set = new SetCheck();
      TreeSet<String> held = new TreeSet<>();
      for (int i = 0; i < 40; i++) {
        String element = "e" + i;
        set.adding(element);
        Outcome outcome = List.of(Outcome.values()).get(random.nextInt(3));
        set.added(element, outcome);
        if (outcome == Outcome.DONE || (outcome == Outcome.UNKNOWN && random.nextBoolean())) {
          held.add(element);
        }
      }
      assertEquals(List.of(), set.violations(held), "seed " + seed);
      List<String> certain = new ArrayList<>(set.certain());
      held.remove(certain.get(random.nextInt(certain.size())));
      assertEquals(1, set.violations(held).size(), "seed " + seed);
    }
  }

  @Test
  void replicasThatAgreeConverged() {
    ConvergenceCheck check = new ConvergenceCheck();
    for (String replica : List.of("n1", "n2", "n3")) {
      check.add("r", replica, Map.of("a", "1@5", "b", "deleted@6"));
      check.add("empty", replica, Map.of());
    }
    assertEquals(List.of(), check.differences());
    assertEquals(List.of(), check.wrongReplicas(3));
  }

  @Test
  void everyKindOfDifferenceIsFound() {
    List<Map<String, String>> others =
        List.of(
            Map.of(),
            Map.of("a", "1@5"),
            Map.of("a", "1@4", "b", "deleted@6"),
            Map.of("a", "2@5", "b", "deleted@6"),
            Map.of("a", "1@5", "b", "deleted@6", "c", "3@1"),
            Map.of("a", "1@5", "b", "2@6"));
    for (Map<String, String> other : others) {
      for (int odd = 0; odd < 3; odd++) {
        ConvergenceCheck check = new ConvergenceCheck();
        for (int replica = 0; replica < 3; replica++) {
          check.add(
              "r", "n" + replica, replica == odd ? other : Map.of("a", "1@5", "b", "deleted@6"));
        }
        assertFalse(check.differences().isEmpty(), other + " on n" + odd);
      }
    }
  }

  @Test
  void aRowOnTooFewOrTooManyNodesIsFound() {
    ConvergenceCheck check = new ConvergenceCheck();
    check.add("r", "n1", Map.of("a", "1"));
    check.add("r", "n2", Map.of("a", "1"));
    assertEquals(1, check.wrongReplicas(3).size());
    assertEquals(1, check.wrongReplicas(1).size());
    assertEquals(List.of(), check.wrongReplicas(2));
  }

  @ParameterizedTest
  @CsvSource({
    "1.1 1.2 1.2 2.0, true",
    "1.5 1.4, false",
    "2.1 1.9, false",
    "1.9 2.0 2.1, true",
    "1.1 3.7 3.6, false",
    "5.0 5.0 5.0, true"
  })
  void pairsMustNotGoBack(String seen, boolean fine) {
    Monotonic monotonic = new Monotonic();
    for (String pair : seen.split(" ")) {
      String[] numbers = pair.split("\\.");
      monotonic.observe("a", "b", Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
      monotonic.observe("c", "b", 9, 9);
      monotonic.observe("a", "d", 7, 7);
    }
    assertEquals(fine, monotonic.violations().isEmpty());
  }

  @Test
  void whoStartsAfreshMayKnowLess() {
    Monotonic monotonic = new Monotonic();
    monotonic.observe("a", "b", 5, 5);
    monotonic.forget("a");
    monotonic.observe("a", "b", 4, 9);
    assertTrue(monotonic.violations().isEmpty());
  }

  /** Acknowledged timestamps of one cell, then what replicas hold of it, 0 for nothing. */
  private static List<String> quorum(String acknowledged, String held) {
    QuorumCheck check = new QuorumCheck();
    for (String timestamp : acknowledged.trim().split(" +")) {
      check.acknowledged("r", "c", Long.parseLong(timestamp));
    }
    int replica = 0;
    for (String timestamp : held.trim().split(" +")) {
      replica++;
      if (!timestamp.equals("0")) {
        check.held("r", "n" + replica, "c", Long.parseLong(timestamp));
      }
      check.held("r", "n" + replica, "another", 99);
      check.held("another", "n" + replica, "c", 99);
    }
    return check.violations(2);
  }

  @ParameterizedTest
  @CsvSource({
    "5, 5 5 5",
    "5, 5 5 0",
    "5, 0 5 5",
    "5, 5 4 7",
    "5 3, 5 5 3",
    "3 5, 7 0 5",
    "1 2 3, 3 2 3"
  })
  void quorumsThatHaveAllPass(String acknowledged, String held) {
    assertEquals(List.of(), quorum(acknowledged, held));
  }

  @ParameterizedTest
  @CsvSource({
    "5, 0 0 0",
    "5, 5 0 0",
    "5, 5 4 4",
    "5 3, 5 3 3",
    "3 5, 3 3 3",
    "1 2 3, 3 2 2",
    "5, 4 9 3"
  })
  void whatTooFewReplicasHaveIsFound(String acknowledged, String held) {
    assertEquals(1, quorum(acknowledged, held).size());
  }

  @Test
  void cellsThatSomebodyWroteAreNoAliens() {
    UnknownValueCheck check = new UnknownValueCheck();
    assertEquals(List.of(), check.violations());
    check.written("r", "c = 'v1' @1");
    check.written("r", "c = 'v2' @2");
    check.written("s", "c = 'v3' @3");
    check.held("n1", "r", "c = 'v1' @1");
    check.held("n2", "r", "c = 'v2' @2");
    check.held("n3", "s", "c = 'v3' @3");
    check.held("n3", "s", "c = 'v3' @3");
    assertEquals(List.of(), check.violations());
  }

  @ParameterizedTest
  @CsvSource({
    "r, c = 'made up' @1",
    "r, c = 'v1' @9",
    "r, d = 'v1' @1",
    "r, c = 'v3' @3",
    "s, c = 'v1' @1",
    "unwritten, c = 'v1' @1",
    "R, c = 'v1' @1"
  })
  void unknownValuesAreFoundWhateverHoldsThem(String row, String cell) {
    UnknownValueCheck check = new UnknownValueCheck();
    check.written("r", "c = 'v1' @1");
    check.written("s", "c = 'v3' @3");
    check.held("n1", "r", "c = 'v1' @1");
    check.held("n2", row, cell);
    check.held("n3", row, cell);
    assertEquals(
        List.of("alien: " + row + "/" + cell + " on [n2, n3] was never written"),
        check.violations());
  }

  @Test
  void oneCellOfManyInTheWrongRowIsAlwaysFound() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int odd = random.nextInt(40);
      UnknownValueCheck check = new UnknownValueCheck();
      for (int cell = 0; cell < 40; cell++) {
        int row = random.nextInt(5);
        check.written("r" + row, "c" + cell);
        check.held("n" + cell % 3, "r" + (cell == odd ? row + 1 : row), "c" + cell);
      }
      assertEquals(1, check.violations().size(), "seed " + seed);
    }
  }
}
