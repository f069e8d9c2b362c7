package dev.colonnade.it.history;

import dev.colonnade.it.HostCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The checker that was not written here; it takes Go. */
final class Porcupine {
  private Porcupine() {}

  /**
   * What it said.
   *
   * @param words its lines, or why it was not run
   */
  record Found(boolean isRight, String words) {}

  /** Why it cannot run; empty if it can. */
  static String missing() {
    return HostCommand.isInstalled("go") ? "" : "skipped, no go";
  }

  /** Has files checked. */
  static Found check(Path... files) throws IOException {
    String missing = missing();
    if (!missing.isEmpty()) {
      return new Found(true, missing);
    }
    Path home = Path.of(System.getProperty("colonnade.home", ".."));
    ProcessBuilder command = new ProcessBuilder("go", "run", ".");
    for (Path file : files) {
      command.command().add(file.toAbsolutePath().toString());
    }
    command.directory(home.resolve("integration-tests/porcupine").toFile());
    Path words = Files.createTempFile("porcupine", ".out");
    try {
      Process process = command.redirectErrorStream(true).redirectOutput(words.toFile()).start();
      int status = process.waitFor();
      String said = Files.readString(words, StandardCharsets.UTF_8).strip();
      if (status > 1 || (status == 1 && !said.contains("wrong"))) {
        // Without the network Go cannot fetch what it needs.
        return new Found(true, "skipped, " + said);
      }
      return new Found(status == 0, said);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while porcupine runs", e);
    } finally {
      Files.deleteIfExists(words);
    }
  }
}
