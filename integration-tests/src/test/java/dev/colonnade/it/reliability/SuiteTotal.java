package dev.colonnade.it.reliability;

import com.google.gson.JsonObject;
import dev.colonnade.it.reliability.ReliabilityRun.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/** Adds up runs of one suite that began with different seeds. */
final class SuiteTotal {

  /** The part that is the same in every run. */
  private static final Set<String> CONSTANT = Set.of("what", "configurations");

  private SuiteTotal() {}

  /** The sum of the runs, of which there is at least one, in the order of their seeds. */
  static Result of(List<Result> runs) {
    Result first = runs.get(0);
    if (runs.size() == 1) {
      return first;
    }
    Map<String, String> counts = new TreeMap<>();
    Map<String, JsonObject> figures = new LinkedHashMap<>();
    Set<String> commits = new LinkedHashSet<>();
    for (Result run : runs) {
      run.counts().forEach((name, count) -> counts.merge(name, count, sum(name)));
      run.figures().forEach(figure -> add(figures, figure));
      commits.add(run.commit());
    }
    return new Result(
        first.suite(),
        counts,
        first.seed(),
        first.tests(),
        runs.stream().mapToLong(Result::failed).sum(),
        runs.stream().mapToLong(Result::seconds).sum(),
        runs.stream().filter(run -> run.failed() > 0).map(Result::first).findFirst().orElse(""),
        new ArrayList<>(figures.values()),
        String.join(", ", commits) + " (" + runs.size() + " runs)");
  }

  private static BinaryOperator<String> sum(String name) {
    return name.endsWith(".share")
        ? (a, b) -> b
        : (a, b) -> Long.toString(Long.parseLong(a) + Long.parseLong(b));
  }

  private static void add(Map<String, JsonObject> figures, JsonObject figure) {
    JsonObject total = figures.get(figure.get("what").getAsString());
    if (total == null) {
      figures.put(figure.get("what").getAsString(), figure.deepCopy());
      return;
    }
    for (String name : figure.keySet()) {
      if (!CONSTANT.contains(name)) {
        long before = total.has(name) ? total.get(name).getAsLong() : 0;
        total.addProperty(name, before + figure.get(name).getAsLong());
      }
    }
  }
}
