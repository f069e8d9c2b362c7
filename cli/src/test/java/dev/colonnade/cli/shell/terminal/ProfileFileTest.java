package dev.colonnade.cli.shell.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProfileFileTest {

  @TempDir private Path home;

  @Test
  void aFileInTheUsualPlaceIsFoundIfItIsThere() throws Exception {
    assertEquals(Optional.empty(), ProfileFile.find(Map.of(), home.toString()));

    Path file = Files.createDirectories(home.resolve(".colonnade")).resolve("profile");
    Files.writeString(file, "output table;");

    assertEquals(Optional.of(file), ProfileFile.find(Map.of(), home.toString()));
    assertEquals(
        Optional.empty(),
        ProfileFile.find(Map.of("XDG_CONFIG_HOME", home.toString()), home.toString()));
  }

  @Test
  void theVariableNamesAnotherOneOrNone() {
    assertEquals(
        Optional.of(Path.of("x", "p")),
        ProfileFile.find(Map.of("COLONNADE_PROFILE", "x/p"), home.toString()));
    assertEquals(
        Optional.empty(), ProfileFile.find(Map.of("COLONNADE_PROFILE", ""), home.toString()));
  }
}
