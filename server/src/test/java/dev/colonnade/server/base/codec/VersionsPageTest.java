package dev.colonnade.server.base.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/upgrading.md has the versions of all kinds of files, and of the protocol between nodes. */
final class VersionsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "upgrading.md");
  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final Pattern DECLARED =
      Pattern.compile("new FileFormat\\(\\s*\"([^\"]+)\",\\s*\"....\",\\s*(\\d+),\\s*(\\d+)\\)");
  private static final Pattern PROTOCOL = Pattern.compile("int PROTOCOL_VERSION = (\\d+);");

  @Test
  void thePageHasTheVersionsOfAllFilesAndOfTheProtocol() throws IOException {
    Map<String, String> declared = new TreeMap<>();
    String protocol = "";
    for (String source : sources()) {
      Matcher format = DECLARED.matcher(source);
      while (format.find()) {
        String oldest = format.group(2);
        String newest = format.group(3);
        declared.put(format.group(1), oldest.equals(newest) ? newest : oldest + " to " + newest);
      }
      Matcher version = PROTOCOL.matcher(source);
      if (version.find()) {
        protocol = version.group(1);
      }
    }
    String page = Files.readString(PAGE);
    Map<String, String> listed = new TreeMap<>();
    Matcher row =
        Pattern.compile("(?m)^\\| ([A-Za-z -]+) \\| (\\d+(?: to \\d+)?) \\|$").matcher(page);
    while (row.find()) {
      listed.put(row.group(1), row.group(2));
    }
    assertTrue(declared.size() > 10, declared::toString);
    assertEquals(declared, listed);
    assertTrue(page.contains("| protocol between nodes | " + protocol + " |"), protocol);
  }

  private static List<String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(VersionsPageTest::text)
          .toList();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
