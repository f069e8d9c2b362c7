package dev.colonnade.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What users take into their own builds says what the build of this one says. */
final class PublishedTest {

  private static final Path ROOT = Path.of("..", "..");

  @Test
  void thePageHasTheOptionsThatAJvmWithNodesNeeds() throws IOException {
    String options = element(ROOT.resolve("pom.xml"), "chronicle.jvm.args");
    String page = Files.readString(ROOT.resolve("docs/client-java.md"));
    for (String option : options.split(" ")) {
      assertTrue(page.contains(option), () -> "docs/client-java.md lacks " + option);
    }
  }

  @Test
  void thePageShowsFaultsAsTheirTestMakesThem() throws IOException {
    Matcher shown =
        Pattern.compile("```text\n(    nodes\\.kill.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs/client-java.md")));
    assertTrue(shown.find(), "docs/client-java.md shows no kill");
    String test = Files.readString(Path.of("src/test/java/dev/colonnade/testkit/FaultsTest.java"));
    assertTrue(test.contains(shown.group(1)), () -> "FaultsTest lacks\n" + shown.group(1));
  }

  @Test
  void theBillOfMaterialsNamesTheArtifactsOfThisVersion() throws IOException {
    Path bom = ROOT.resolve("client-java/bom/pom.xml");
    assertEquals(element(ROOT.resolve("pom.xml"), "version"), element(bom, "version"));
    Set<String> named = new TreeSet<>();
    Matcher each =
        Pattern.compile("<artifactId>(colonnade-[a-z]+)</artifactId>")
            .matcher(Files.readString(bom));
    while (each.find()) {
      named.add(each.group(1));
    }
    assertEquals(
        new TreeSet<>(
            List.of(
                "colonnade-bom",
                "colonnade-client",
                "colonnade-proto",
                "colonnade-server",
                "colonnade-testkit")),
        named);
  }

  /** The content of the first element of that name. */
  private static String element(Path pom, String name) throws IOException {
    Matcher found =
        Pattern.compile("<" + Pattern.quote(name) + ">([^<]*)<").matcher(Files.readString(pom));
    assertTrue(found.find(), () -> Arrays.asList(pom, name) + " is not there");
    return found.group(1);
  }
}
