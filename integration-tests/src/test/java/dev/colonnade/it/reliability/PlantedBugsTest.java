package dev.colonnade.it.reliability;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The bugs that {@code integration-tests/planted/run} plants can still be planted. */
class PlantedBugsTest {

  /** Where Maven runs the tests of this module is the module. */
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();

  @Test
  void everyPatchFitsTheSourcesAndSaysWhatItBreaks() throws IOException {
    List<PlantedBug> bugs = PlantedBug.all(HOME.resolve(PlantedBugs.DIRECTORY));
    assertTrue(bugs.size() >= 12, bugs.size() + " bugs");
    for (PlantedBug bug : bugs) {
      assertTrue(!bug.suites().isEmpty() && bug.promises().startsWith("P"), bug.name());
      for (Patch.FileChange change : bug.patch().files()) {
        assertTrue(change.path().matches("(server|cli|client-java)/src/main/java/.*"), bug.name());
        String before = Files.readString(HOME.resolve(change.path()));
        assertNotEquals(before, assertDoesNotThrow(() -> change.apply(before), bug.name()));
      }
    }
  }

  @Test
  void thePageSaysWhatEachFaultTakes() throws IOException {
    String page = Files.readString(HOME.resolve("docs/reliability.md"));
    assertTrue(page.contains(FaultPolicy.TEXT), "the page and its writer differ");
  }

  @Test
  void everySuiteIsThere() {
    for (Suite suite : Suite.values()) {
      assertEquals(suite, Suite.named(suite.label()));
      for (String name : suite.classes()) {
        if (suite.module().equals("server")) {
          assertDoesNotThrow(() -> requireTests(name.split("#", 2)), name);
        } else {
          // Its tests are not on the class path here.
          Path source =
              HOME.resolve(suite.module() + "/src/test/java/" + name.replace('.', '/') + ".java");
          assertTrue(Files.exists(source), name);
        }
      }
    }
  }

  /** A class, or one method of it. */
  private static void requireTests(String[] name) throws ReflectiveOperationException {
    Class<?> tests = Class.forName(name[0], false, PlantedBugsTest.class.getClassLoader());
    if (name.length == 2) {
      Objects.requireNonNull(tests.getDeclaredMethod(name[1]));
    }
  }

  @Test
  void aPatchIsFoundByItsLines() throws Exception {
    Patch.FileChange change = change(" b", "-c", "+d", " e");
    assertEquals("a\nnew\nb\nd\ne\n", change.apply("a\nnew\nb\nc\ne\n"));
  }

  @Test
  void aPatchThatFitsNowhereOrTwiceIsRefused() {
    Patch.FileChange change = change(" b", "-c");
    assertThrows(Patch.DoesNotFitException.class, () -> change.apply("b\nd\n"));
    assertThrows(Patch.DoesNotFitException.class, () -> change.apply("b\nc\nb\nc\n"));
  }

  private static Patch.FileChange change(String... lines) {
    List<String> diff = new java.util.ArrayList<>(List.of("--- a/f", "+++ b/f", "@@ -1,9 +1,9 @@"));
    diff.addAll(List.of(lines));
    return Patch.parse(diff).files().get(0);
  }
}
