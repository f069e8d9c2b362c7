package dev.colonnade.cli.shell.copy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How records stand in a file. */
public enum RecordFormat {
  /** Fields with commas between them, a heading first; as RFC 4180 has it. */
  CSV("csv", "csv"),
  /** An object on each line. */
  JSON("json", "jsonl", "ndjson", "json");

  private final String name;
  private final List<String> extensions;

  RecordFormat(String name, String... extensions) {
    this.name = name;
    this.extensions = List.of(extensions);
  }

  /** The format of that name, in any case. */
  public static Optional<RecordFormat> of(String name) {
    return Arrays.stream(values())
        .filter(format -> format.name.equals(name.toLowerCase(Locale.ROOT)))
        .findFirst();
  }

  /** The format that the end of a file's name says. */
  public static Optional<RecordFormat> ofFile(String file) {
    String extension = file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(format -> format.extensions.contains(extension))
        .findFirst();
  }

  /** All names, for a message. */
  public static String names() {
    return Arrays.stream(values()).map(format -> format.name).collect(Collectors.joining(", "));
  }

  /** Reads records of UTF-8 text. */
  public RecordReader reader(InputStream bytes, boolean superFamily) throws IOException {
    return this == CSV
        ? CsvRecords.reader(bytes, superFamily)
        : new JsonRecords(bytes, superFamily);
  }

  /** What a file begins with, with the end of its line; may be empty. */
  public String heading(boolean superFamily) {
    return this == CSV ? CsvRecords.heading(superFamily) : "";
  }

  /** A record with the end of its line. */
  public String text(ColumnRecord record, boolean superFamily) {
    return this == CSV ? CsvRecords.text(record, superFamily) : JsonRecords.text(record);
  }
}
