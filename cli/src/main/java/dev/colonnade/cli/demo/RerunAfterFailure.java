package dev.colonnade.cli.demo;

import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.Narration;
import dev.colonnade.cli.demo.story.Question;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Repeats every question after a node has died, and compares the answers with the earlier ones. */
final class RerunAfterFailure {

  private final Narration narration;
  private final Map<String, List<Question>> questions = new LinkedHashMap<>();

  RerunAfterFailure(Narration narration) {
    this.narration = narration;
  }

  /** Notes what was asked in a walkthrough. */
  void add(String walkthrough, List<Question> asked) {
    if (!asked.isEmpty()) {
      questions.put(walkthrough, asked);
    }
  }

  /**
   * Runs it.
   *
   * @return a check for each walkthrough
   */
  List<Check> run(Outage outage) {
    narration.headline("A node dies");
    Map<String, List<List<String>>> before = answers();
    narration.sayAlways(outage.happen());
    narration.say(
        "Two of three copies are a QUORUM, so every question above is asked again, on one of the"
            + " nodes that are left:");
    List<Check> checks = new ArrayList<>();
    answers()
        .forEach(
            (walkthrough, after) ->
                checks.add(
                    compare(walkthrough, before.getOrDefault(walkthrough, List.of()), after)));
    checks.forEach(narration::verdict);
    if (checks.stream().allMatch(Check::holds)) {
      int asked = questions.values().stream().mapToInt(List::size).sum();
      narration.summary(asked, "to questions that are asked again: all as before");
    }
    return checks;
  }

  /**
   * Questions asked midway may have other answers by now, so the answers from just before count.
   */
  private Map<String, List<List<String>>> answers() {
    Map<String, List<List<String>>> answers = new LinkedHashMap<>();
    questions.forEach(
        (walkthrough, asked) ->
            answers.put(walkthrough, asked.stream().map(Question::ask).toList()));
    return answers;
  }

  private Check compare(String walkthrough, List<List<String>> before, List<List<String>> after) {
    int same = 0;
    for (int i = 0; i < after.size(); i++) {
      if (after.get(i).equals(before.get(i))) {
        same++;
      } else {
        narration.statement(questions.getOrDefault(walkthrough, List.of()).get(i).statement());
        narration.lines(before.get(i));
        narration.lines(after.get(i));
      }
    }
    String all = count(after.size(), after.size());
    return new Check(walkthrough + ": " + all, all, count(same, after.size()));
  }

  private static String count(int same, int of) {
    return (of == 1 ? "%d of %d answer" : "%d of %d answers").formatted(same, of)
        + (of == 1 ? " is" : " are")
        + " as before";
  }
}
