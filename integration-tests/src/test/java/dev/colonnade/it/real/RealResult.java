package dev.colonnade.it.real;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The stored result of a case.
 *
 * @param name of the case
 * @param what it does
 * @param rounds that were run to their end
 * @param figures the measurements, as text
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

  /** Puts it into a file of lines of JSON, in the place of an older one of the same case. */
  public void keepIn(Path file) throws IOException {
    Gson gson = new Gson();
    List<String> lines = new ArrayList<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        if (!gson.fromJson(line, RealResult.class).name.equals(name)) {
          lines.add(line);
        }
      }
    }
    lines.add(gson.toJson(this));
    Files.write(file, lines);
  }
}
