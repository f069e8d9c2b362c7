package dev.colonnade.it.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.history.HistoryCheck;
import dev.colonnade.server.history.HistoryFile;
import dev.colonnade.server.history.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Small histories, right ones and wrong ones of each kind, which all checkers judge alike. */
final class WrongHistoriesTest {

  private static List<Path> files() throws IOException {
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    try (Stream<Path> files = Files.list(home.resolve("integration-tests/porcupine/testdata"))) {
      return files.sorted().toList();
    }
  }

  private static boolean isRight(Path file) {
    return file.getFileName().toString().startsWith("right");
  }

  @Test
  void eachKindOfWrongIsFoundAndNamed() throws IOException {
    for (Path file : files()) {
      List<Violation> found = HistoryCheck.violations(HistoryFile.read(file));
      assertEquals(isRight(file), found.isEmpty(), file + ": " + found);
      String kind = file.getFileName().toString().split("[-.]", 2)[0].toUpperCase(Locale.ROOT);
      assertTrue(
          isRight(file) || found.stream().anyMatch(one -> one.kind().name().equals(kind)),
          file + ": " + found);
    }
  }

  @Test
  void porcupineFindsTheSameAndNothingElse() throws IOException {
    Porcupine.Found found = Porcupine.check(files().toArray(Path[]::new));
    Assumptions.assumeFalse(found.words().startsWith("skipped"), found.words());
    for (Path file : files()) {
      String line =
          found
              .words()
              .lines()
              .filter(words -> words.startsWith(file.toAbsolutePath() + ": "))
              .findFirst()
              .orElse("nothing of " + file + " in " + found.words());
      assertTrue(line.contains(" 0 undecided"), line);
      assertEquals(isRight(file), line.endsWith(" 0 wrong"), found.words());
    }
  }
}
