package dev.colonnade.it.reliability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A bug to plant: a patch with a head that says what it is for.
 *
 * @param name the file's, without its ending
 * @param breaks what is wrong then
 * @param promises which promises of the store do not hold then
 * @param suites all of which must notice it
 * @param patch what makes it wrong
 */
record PlantedBug(String name, String breaks, String promises, List<Suite> suites, Patch patch) {

  private static final String ENDING = ".patch";

  /** All bugs of a directory, by name. */
  static List<PlantedBug> all(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<PlantedBug> bugs = new ArrayList<>();
      for (Path file : files.filter(file -> file.toString().endsWith(ENDING)).sorted().toList()) {
        bugs.add(read(file));
      }
      return bugs;
    }
  }

  private static PlantedBug read(Path file) throws IOException {
    String name = String.valueOf(file.getFileName()).replace(ENDING, "");
    List<String> lines = Files.readAllLines(file);
    int diff = 0;
    while (diff < lines.size() && !lines.get(diff).startsWith("--- ")) {
      diff++;
    }
    try {
      Map<String, String> head = head(lines.subList(0, diff));
      return new PlantedBug(
          name,
          of(head, "Breaks"),
          of(head, "Promise"),
          Stream.of(of(head, "Caught by").split(", *", -1)).map(Suite::named).toList(),
          Patch.parse(lines.subList(diff, lines.size())));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Lines {@code Field: text}, which indented lines go on. */
  private static Map<String, String> head(List<String> lines) {
    Map<String, String> head = new TreeMap<>();
    String field = "";
    for (String line : lines) {
      if (line.startsWith(" ")) {
        head.merge(field, " " + line.strip(), String::concat);
      } else if (!line.isBlank()) {
        int colon = line.indexOf(':');
        field = line.substring(0, Math.max(colon, 0));
        head.put(field, line.substring(colon + 1).strip());
      }
    }
    return head;
  }

  private static String of(Map<String, String> head, String field) {
    String text = head.getOrDefault(field, "");
    if (text.isEmpty()) {
      throw new IllegalArgumentException("the head has no line '" + field + ": ...'");
    }
    return text;
  }
}
