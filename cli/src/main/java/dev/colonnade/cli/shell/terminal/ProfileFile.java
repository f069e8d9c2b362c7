package dev.colonnade.cli.shell.terminal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Statements that each shell at a terminal begins with, such as {@code output table;}. */
final class ProfileFile {

  private ProfileFile() {}

  /**
   * {@code COLONNADE_PROFILE}, or {@code colonnade/profile} under {@code XDG_CONFIG_HOME}, or
   * {@code ~/.colonnade/profile}, if there is such a file. Empty also if the variable is set to
   * nothing.
   */
  static Optional<Path> find(Map<String, String> environment, String home) {
    String chosen = environment.get("COLONNADE_PROFILE");
    if (chosen != null) {
      return chosen.isBlank() ? Optional.empty() : Optional.of(Path.of(chosen));
    }
    String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path file =
        config.isBlank()
            ? Path.of(home, ".colonnade", "profile")
            : Path.of(config, "colonnade", "profile");
    return Files.exists(file) ? Optional.of(file) : Optional.empty();
  }
}
