package dev.colonnade.it.reliability;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the newest results are: files of the repository, a line of JSON for each, so that the page
 * can be written again where only a part of them was run.
 */
final class Results {

  private static final Gson GSON = new Gson();

  private Results() {}

  static Path suites(Path home) throws IOException {
    return file(home, "suites.jsonl");
  }

  static Path planted(Path home) throws IOException {
    return file(home, "planted.jsonl");
  }

  static Path mutants(Path home) throws IOException {
    return file(home, "mutants.jsonl");
  }

  static Path real(Path home) throws IOException {
    return file(home, "real.jsonl");
  }

  static Path hunt(Path home) throws IOException {
    return file(home, "hunt.jsonl");
  }

  private static Path file(Path home, String name) throws IOException {
    return Files.createDirectories(home.resolve("integration-tests/results")).resolve(name);
  }

  /** The lines of a file, none if there is no such file. */
  static <T> List<T> read(Path lines, Class<T> type) throws IOException {
    List<T> all = new ArrayList<>();
    if (Files.exists(lines)) {
      for (String line : Files.readAllLines(lines)) {
        all.add(GSON.fromJson(line, type));
      }
    }
    return all;
  }
}
