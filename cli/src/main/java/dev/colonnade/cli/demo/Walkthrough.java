package dev.colonnade.cli.demo;

import java.util.ArrayList;
import java.util.List;

/** All scenarios, one after the other. */
public final class Walkthrough {

  private static final List<Scenario> SCENARIOS =
      List.of(
          new SortedNames(),
          new SortedAddresses(),
          new UserProfiles(),
          new AddressBooks(),
          new BloggyAppy());

  private Walkthrough() {}

  /** The scenarios, each to be run on its own or in this order on one node. */
  public static List<Scenario> scenarios() {
    return SCENARIOS;
  }

  /**
   * Runs every scenario and sums up.
   *
   * @return all checks; the walkthrough has succeeded when each holds
   * @throws io.grpc.StatusRuntimeException when a call fails; the scenarios after it were not run
   */
  public static List<Check> run(Calls calls) {
    Narration narration = calls.narration();
    List<Check> checks = new ArrayList<>();
    for (Scenario scenario : SCENARIOS) {
      narration.headline(scenario.title());
      checks.addAll(scenario.run(calls));
    }
    narration.headline("Summary");
    long differing = checks.stream().filter(check -> !check.holds()).count();
    if (differing == 0) {
      narration.say(
          "All "
              + checks.size()
              + " answers are what the articles promise, from "
              + calls.count()
              + " calls.");
    } else {
      narration.say(differing + " of " + checks.size() + " answers differ from the articles:");
      checks.stream().filter(check -> !check.holds()).forEach(narration::verdict);
    }
    return checks;
  }
}
