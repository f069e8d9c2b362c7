package dev.colonnade.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The glossary explains each term once, and the types that it names are there. */
final class GlossaryTest {

  private static final Path PAGE = Path.of("../docs/glossary.md");
  private static final Path SOURCES = Path.of("src/main/java/dev/colonnade/server");
  private static final Pattern NAME = Pattern.compile("`([a-z]+)(?:\\.([A-Z]\\w*))?`");

  @Test
  void whatTheGlossaryNamesIsThere() throws IOException {
    List<String> missing = new ArrayList<>();
    int names = 0;
    Matcher found = NAME.matcher(Files.readString(PAGE));
    while (found.find()) {
      names++;
      String type = found.group(2);
      if (!isThere(found.group(1), type)) {
        missing.add(found.group());
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(names > 50, "the page was not read: " + names + " names");
  }

  /** Whether a package of any layer has the name, and the type if one is named. */
  private static boolean isThere(String name, @Nullable String type) throws IOException {
    try (Stream<Path> folders = Files.walk(SOURCES)) {
      return folders
          .filter(folder -> folder.endsWith(name))
          .anyMatch(folder -> type == null || Files.exists(folder.resolve(type + ".java")));
    }
  }

  @Test
  void eachTermStandsOnce() throws IOException {
    Set<String> terms = new HashSet<>();
    List<String> twice = new ArrayList<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| ") && !line.startsWith("| term") && !line.startsWith("| ---")) {
        String term = line.substring(2, line.indexOf(" |", 2));
        if (!terms.add(term)) {
          twice.add(term);
        }
      }
    }
    assertEquals(List.of(), twice);
  }
}
