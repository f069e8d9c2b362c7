package dev.colonnade.it.real;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What came of a case, as it is kept.
 *
 * @param name of the case
 * @param what it does
 * @param rounds that were run to their end
 * @param figures what was measured, in words
 * @param violations how many
 * @param commit of the sources that were built
 */
public record RealResult(
    String name,
    String what,
    int rounds,
    String figures,
    int violations,
    long seconds,
    long seed,
    String commit) {

  static RealResult of(RealCase one, RealCase.Outcome outcome, long seed) {
    return new RealResult(
        one.name(),
        one.what(),
        outcome.rounds(),
        outcome.figures(),
        outcome.violations().size(),
        outcome.took().toSeconds(),
        seed,
        System.getProperty("colonnade.commit", "unknown"));
  }

  void appendTo(Path file) throws IOException {
    Files.writeString(
        file, new Gson().toJson(this) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** All results of a file; none where there is no file. */
  public static List<RealResult> in(Path file) throws IOException {
    List<RealResult> results = new ArrayList<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        results.add(new Gson().fromJson(line, RealResult.class));
      }
    }
    return results;
  }
}
