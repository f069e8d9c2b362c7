package dev.colonnade.cli.shell.copy;

import dev.colonnade.cli.shell.copy.ColumnRecord.Field;
import java.io.IOException;
import java.io.Reader;
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

  private static final char BYTE_ORDER_MARK = '\ufeff';

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

  static CsvRecords reader(Reader text, boolean superFamily) throws IOException {
    CsvRecords records = new CsvRecords(new RecordLines(text), superFamily);
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
    for (String title : cut()) {
      String name = title.strip();
      name = !name.isEmpty() && name.charAt(0) == BYTE_ORDER_MARK ? name.substring(1) : name;
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
        .orElseThrow(() -> new BadRecordException("there is no field '" + name + "'"));
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

  /** The fields of the next record; none at the end, and of an empty line. */
  private List<String> cut() throws IOException, BadRecordException {
    StringBuilder all = new StringBuilder(lines.next());
    line = lines.line();
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    boolean closed = false;
    int at = 0;
    while (true) {
      if (lines.cut() || all.length() > RecordLines.MAX_CHARACTERS) {
        raw = all.toString();
        throw new BadRecordException("it is longer than a record can be; is a quote missing?");
      }
      if (at == all.length()) {
        String more = quoted ? lines.next() : "";
        if (more.isEmpty()) {
          break;
        }
        all.append(more);
      }
      char c = all.charAt(at++);
      if (quoted) {
        boolean doubled = c == '"' && at < all.length() && all.charAt(at) == '"';
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
      } else if (c != '\n' && !(c == '\r' && at < all.length() && all.charAt(at) == '\n')) {
        if (closed) {
          raw = all.toString();
          throw new BadRecordException("there is text between a closing quote and a comma");
        }
        cell.append(c);
      }
    }
    raw = all.toString();
    if (quoted) {
      throw new BadRecordException("a quote has no end");
    }
    if (!RecordLines.withoutEnd(raw).isEmpty()) {
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
