package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DirectoryNameTest {

  private static final FamilyId ID = new FamilyId(1, 2);

  @Test
  void plainNamesStandForThemselvesAndOthersAreEscaped() {
    assertEquals("Standard1-" + ID, DirectoryName.of("Standard1", ID));
    assertEquals("my.20family.2e-" + ID, DirectoryName.of("my family.", ID));
    assertEquals("Gr.c3.bc.c3.9fe-" + ID, DirectoryName.of("Grüße", ID));
  }

  @Test
  void everyNameIsAPathOfItsOwnThatEndsWithTheId() {
    Set<String> seen = new HashSet<>();
    List<String> names =
        List.of(
            ".",
            "..",
            "/",
            "../x",
            "a/b",
            "A",
            "a",
            "CON",
            "nul.txt",
            "-",
            "x-" + ID,
            "\\",
            "*?",
            "日本語".repeat(42),
            "日本語".repeat(42) + "x",
            "~");
    for (int i = 0; i < names.size(); i++) {
      FamilyId id = new FamilyId(7, i);
      String directory = DirectoryName.of(names.get(i), id);
      assertEquals(directory, FileSystem.requireValidPath(directory));
      assertEquals(id, FamilyId.parse(directory.substring(directory.lastIndexOf('-') + 1)));
      assertTrue(directory.length() < 200, directory);
      assertTrue(
          !directory.contains("/") && seen.add(directory.toLowerCase(java.util.Locale.ROOT)));
    }
  }
}
