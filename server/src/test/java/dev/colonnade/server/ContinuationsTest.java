package dev.colonnade.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the node's code to {@code dev.colonnade.server.base.async}: the last continuation of a
 * future, whose own future is not kept, is attached with {@code Then.whenDone}. With {@code
 * whenComplete} what it throws would be lost, and whatever it had to complete or release would not
 * be.
 */
class ContinuationsTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/colonnade/server");

  private static final Pattern DROPPED =
      Pattern.compile(
          "var unused\\w* =[^;{]*\\.(whenComplete|handle|thenAccept|thenRun|exceptionally)\\(");

  @Test
  void noContinuationIsDroppedWithWhatItThrows() throws IOException {
    List<String> dropped = new ArrayList<>();
    int files = 0;
    try (Stream<Path> all = Files.walk(SOURCES)) {
      for (Path source : all.filter(path -> path.toString().endsWith(".java")).toList()) {
        files++;
        if (source.startsWith(SOURCES.resolve("base/async"))) {
          continue;
        }
        Matcher matcher = DROPPED.matcher(Files.readString(source));
        while (matcher.find()) {
          dropped.add(SOURCES.relativize(source) + ": " + matcher.group());
        }
      }
    }
    assertTrue(files > 500, "the sources are not where this looks");
    assertEquals(List.of(), dropped);
  }
}
