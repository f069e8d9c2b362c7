package dev.colonnade.cli.demo;

import java.util.ArrayList;
import java.util.List;

/** Collects the checks of one scenario and tells each as it is made. */
final class Promises {

  private final Narration narration;
  private final List<Check> checks = new ArrayList<>();

  Promises(Narration narration) {
    this.narration = narration;
  }

  void check(String claim, String expected, String found) {
    Check check = new Check(claim, expected, found);
    checks.add(check);
    narration.verdict(check);
  }

  List<Check> made() {
    return List.copyOf(checks);
  }
}
