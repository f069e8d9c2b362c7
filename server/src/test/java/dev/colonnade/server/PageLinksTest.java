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
import org.junit.jupiter.api.Test;

/** What the pages link to and the source files that they name are there, also after a move. */
final class PageLinksTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s:]+)(?:#[^)]*)?\\)");
  private static final Pattern SOURCE = Pattern.compile("`([\\w./-]+/\\w+\\.java)`");

  @Test
  void pagesNameWhatIsThere() throws IOException {
    List<Path> pages = files(".md");
    Set<String> sources = new HashSet<>();
    for (Path source : files(".java")) {
      // All ends of its path: pages leave out where the sources of a module begin.
      for (int i = 0; i < source.getNameCount(); i++) {
        sources.add(source.subpath(i, source.getNameCount()).toString().replace('\\', '/'));
      }
    }
    List<String> missing = new ArrayList<>();
    int links = 0;
    for (Path page : pages) {
      String text = Files.readString(ROOT.resolve(page));
      Matcher link = LINK.matcher(text);
      while (link.find()) {
        links++;
        if (!Files.exists(ROOT.resolve(page).resolveSibling(link.group(1)))) {
          missing.add(page + ": " + link.group(1));
        }
      }
      Matcher source = SOURCE.matcher(text);
      while (source.find()) {
        if (!sources.contains(source.group(1))) {
          missing.add(page + ": " + source.group(1));
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(links > 50, "the pages were not read: " + links + " links");
  }

  /** The project's files with that ending, relative to its root, without what a build made. */
  private static List<Path> files(String ending) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String part :
        List.of("docs", "proto", "server", "client-java", "cli", "integration-tests")) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(part))) {
        all.filter(file -> file.toString().endsWith(ending))
            .map(ROOT::relativize)
            .filter(file -> !file.toString().contains("target"))
            .filter(file -> !file.toString().contains("node_modules"))
            .forEach(found::add);
      }
    }
    try (Stream<Path> top = Files.list(ROOT)) {
      top.filter(file -> file.toString().endsWith(ending))
          .map(ROOT::relativize)
          .forEach(found::add);
    }
    return found;
  }
}
