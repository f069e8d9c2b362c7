package dev.colonnade.it.conformance;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** One recording: its name, its header and its lines in order. */
record Trace(String name, JsonObject header, List<JsonObject> lines) {

  private static final String SUFFIX = ".jsonl.gz";

  /** All recordings in the folder {@code conformance} of the class path, by name. */
  static List<String> names() throws IOException {
    java.net.URL readme = Trace.class.getResource("/conformance/README.md");
    if (readme == null) {
      throw new FileNotFoundException("conformance/README.md is not on the class path");
    }
    try (Stream<Path> files = Files.list(Path.of(readme.getPath()).resolveSibling("."))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .sorted()
          .toList();
    }
  }

  static Trace read(String name) throws IOException {
    InputStream resource = Trace.class.getResourceAsStream("/conformance/" + name + SUFFIX);
    if (resource == null) {
      throw new FileNotFoundException("no recording called " + name);
    }
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
      List<JsonObject> objects = new ArrayList<>();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        objects.add(JsonParser.parseString(line).getAsJsonObject());
      }
      return new Trace(name, objects.get(0), List.copyOf(objects.subList(1, objects.size())));
    }
  }

  /** The short class name, as {@code --partitioner} takes it. */
  String partitioner() {
    return header.get("partitioner").getAsString();
  }

  /** Whether the lines were generated; then the time to live is not compared. */
  boolean random() {
    return header.has("profile");
  }
}
