package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.shell.output.Json;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Supplier;

/** Prints figures, a line for each thing: as a sentence for people, or as an object of JSON. */
final class FigureLines {

  private final PrintWriter out;
  private final boolean json;

  FigureLines(PrintWriter out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /**
   * Prints one.
   *
   * @param kind the field that the object stands in
   * @param fields in their order
   * @param sentence for people
   */
  void print(String kind, Map<String, Object> fields, Supplier<String> sentence) {
    if (json) {
      print(kind, fields);
    } else {
      out.println(sentence.get());
    }
  }

  /** Prints an object, where people see its parts instead. */
  void print(String kind, Map<String, Object> fields) {
    StringBuilder line = new StringBuilder();
    new Json(line::append).value(Map.of(kind, fields));
    out.println(line);
  }

  /** Prints a sentence that programs do not need. */
  void remark(String sentence) {
    if (!json) {
      out.println(sentence);
    }
  }
}
