package dev.colonnade.cli.shell.copy;

import dev.colonnade.cli.shell.copy.ColumnRecord.Field;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Records as RFC 4180 has them: a field that has a comma, a quote or the end of a line stands in
 * quotes, in which quotes are doubled. The heading says which field is where.
 */
final class CsvRecords implements RecordReader {

  /**
   * A value of 15 MiB of quotes or in hexadecimal digits, with a key and names as long as they get.
   */
  private static final int MAX_BYTES = 32 << 20;

  private static final String TOO_LONG = "it is longer than a record can be";

  private final RecordLines lines;
  private final boolean superFamily;
  private List<Field> fields = List.of();
  private long line;
  private String raw = "";
  private String heading = "";

  private CsvRecords(RecordLines lines, boolean superFamily) {
    this.lines = lines;
    this.superFamily = superFamily;
  }

  static CsvRecords reader(InputStream bytes, boolean superFamily) throws IOException {
    CsvRecords records = new CsvRecords(new RecordLines(bytes, MAX_BYTES), superFamily);
    try {
      records.readHeading();
      return records;
    } catch (BadRecordException e) {
      throw new IOException(
          "its first line is not a heading such as "
              + heading(superFamily).strip()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private void readHeading() throws IOException, BadRecordException {
    List<Field> found = new ArrayList<>();
    for (String name : cut()) {
      Field field = field(name);
      if (found.contains(field)) {
        throw new BadRecordException(name + " stands there twice");
      }
      found.add(field);
    }
    for (Field field : Field.values()) {
      if (field.required(superFamily) && !found.contains(field)) {
        throw new BadRecordException("there is no " + field.title());
      }
    }
    if (!superFamily && found.contains(Field.SUPER_COLUMN)) {
      throw new BadRecordException("a Standard family has no super columns");
    }
    fields = found;
    heading = RecordLines.withoutEnd(raw) + "\n";
  }

  private static Field field(String name) throws BadRecordException {
    return Arrays.stream(Field.values())
        .filter(field -> field.title().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new BadRecordException(
                    "there is no field '"
                        + name
                        + "'"
                        + (name.equals(name.strip())
                            ? ""
                            : "; spaces beside a comma belong to the field")));
  }

  @Override
  public Optional<ColumnRecord> next() throws IOException, BadRecordException {
    List<String> cells;
    do {
      cells = cut();
    } while (cells.isEmpty() && !raw.isEmpty());
    if (cells.isEmpty()) {
      return Optional.empty();
    }
    if (cells.size() != fields.size()) {
      throw new BadRecordException(
          "it has " + cells.size() + " fields, and the heading " + fields.size());
    }
    Map<Field, String> record = new EnumMap<>(Field.class);
    for (int i = 0; i < cells.size(); i++) {
      record.put(fields.get(i), cells.get(i));
    }
    return Optional.of(
        new ColumnRecord(
            record.getOrDefault(Field.KEY, ""),
            Optional.ofNullable(record.get(Field.SUPER_COLUMN)),
            record.getOrDefault(Field.COLUMN, ""),
            record.getOrDefault(Field.VALUE, ""),
            number(Field.TIMESTAMP, record),
            number(Field.TTL, record)));
  }

  private static OptionalLong number(Field field, Map<Field, String> record)
      throws BadRecordException {
    String text = record.getOrDefault(field, "");
    try {
      return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new BadRecordException(field.title() + " is a whole number; got " + text, e);
    }
  }

  /**
   * The fields of the next record; none at the end, and of an empty line. If its quotes are wrong,
   * only its first line is the bad record: a quote too many must not take the lines after it along,
   * up to the next quote.
   */
  private List<String> cut() throws IOException, BadRecordException {
    List<String> read = new ArrayList<>();
    try {
      read.add(lines.next());
      line = lines.line();
      raw = read.get(0);
      if (lines.tooLong(raw)) {
        throw new BadRecordException(TOO_LONG);
      }
      List<String> cells = cells(read);
      raw = String.join("", read);
      List<String> texts = new ArrayList<>(cells.size());
      for (String cell : cells) {
        texts.add(RecordLines.text(cell));
      }
      return texts;
    } catch (WrongQuotesException e) {
      raw = read.get(0);
      lines.again(read.subList(1, read.size()));
      throw new BadRecordException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Quotes that do not fit each other, or a record that does not end for one that is missing. */
  private static final class WrongQuotesException extends Exception {
    private static final long serialVersionUID = 1L;

    WrongQuotesException(String message) {
      super(message);
    }
  }

  /** The fields of a record that begins with the first line; reads further ones where it has to. */
  private List<String> cells(List<String> read) throws IOException, WrongQuotesException {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    String current = read.get(0);
    long bytes = current.length();
    boolean quoted = false;
    boolean closed = false;
    int at = 0;
    while (true) {
      if (at == current.length()) {
        if (!quoted) {
          break;
        }
        current = lines.next();
        bytes += current.length();
        if (!current.isEmpty()) {
          read.add(current);
        }
        if (current.isEmpty() || bytes > MAX_BYTES || lines.tooLong(current)) {
          throw new WrongQuotesException("a quote has no end");
        }
        at = 0;
      }
      char c = current.charAt(at++);
      if (quoted) {
        boolean doubled = c == '"' && at < current.length() && current.charAt(at) == '"';
        if (c != '"' || doubled) {
          cell.append(c);
          at += doubled ? 1 : 0;
        } else {
          quoted = false;
          closed = true;
        }
      } else if (c == ',') {
        cells.add(cell.toString());
        cell.setLength(0);
        closed = false;
      } else if (c == '"' && cell.length() == 0 && !closed) {
        quoted = true;
      } else if (c != '\n' && !(c == '\r' && at < current.length() && current.charAt(at) == '\n')) {
        if (closed) {
          throw new WrongQuotesException("there is text between a closing quote and a comma");
        }
        cell.append(c);
      }
    }
    if (read.size() > 1 || !RecordLines.withoutEnd(current).isEmpty()) {
      cells.add(cell.toString());
    }
    return cells;
  }

  @Override
  public String heading() {
    return heading;
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public String raw() {
    return raw;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  static String heading(boolean superFamily) {
    return fields(superFamily).stream().map(Field::title).collect(Collectors.joining(",")) + "\n";
  }

  static String text(ColumnRecord record, boolean superFamily) {
    return fields(superFamily).stream()
            .map(field -> quoted(field.of(record)))
            .collect(Collectors.joining(","))
        + "\n";
  }

  private static List<Field> fields(boolean superFamily) {
    return Arrays.stream(Field.values())
        .filter(field -> superFamily || field != Field.SUPER_COLUMN)
        .toList();
  }

  private static String quoted(String text) {
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
