package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.SuperColumn;
import java.util.ArrayList;
import java.util.List;

/** Sets columns and super columns as lines of text. */
final class Layout {

  private static final String INDENT = "  ";

  /** A row that has more shows its first ones and how many follow. */
  private static final int MOST_SHOWN = 12;

  private Layout() {}

  static List<String> entries(Family family, List<ColumnOrSuperColumn> entries) {
    List<String> lines = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    for (ColumnOrSuperColumn entry : entries) {
      if (entry.hasColumn()) {
        columns.add(entry.getColumn());
      } else {
        lines.addAll(superColumn(family, entry.getSuperColumn()));
      }
    }
    lines.addAll(columns(family.columnNames(), columns));
    if (lines.isEmpty()) {
      lines.add("(nothing)");
    }
    return lines;
  }

  static List<String> superColumn(Family family, SuperColumn superColumn) {
    List<String> lines = new ArrayList<>();
    lines.add(family.names().show(superColumn.getName()) + ":");
    lines.addAll(indented(columns(family.columnNames(), superColumn.getColumnsList())));
    return lines;
  }

  static List<String> indented(List<String> lines) {
    return lines.stream().map(line -> INDENT + line).toList();
  }

  /** The names in the order of the answer, one blank between them. */
  static String order(NameForm form, List<Column> columns) {
    return String.join(" ", columns.stream().map(column -> form.show(column.getName())).toList());
  }

  /** A column as it stands in a promise: name=value. */
  static String pairs(List<Column> columns) {
    return String.join(
        ", ",
        columns.stream()
            .map(column -> text(column.getName()) + "=" + text(column.getValue()))
            .toList());
  }

  /** The value of a named column, or a remark that there is none. */
  static String value(List<Column> columns, String name) {
    ByteString wanted = ByteString.copyFromUtf8(name);
    for (Column column : columns) {
      if (column.getName().equals(wanted)) {
        return text(column.getValue());
      }
    }
    return "(no " + name + ")";
  }

  static String text(ByteString bytes) {
    return bytes.toStringUtf8();
  }

  private static List<String> columns(NameForm form, List<Column> columns) {
    List<Column> shown = columns.subList(0, Math.min(MOST_SHOWN, columns.size()));
    int width = 0;
    for (Column column : shown) {
      width = Math.max(width, form.show(column.getName()).length());
    }
    List<String> lines = new ArrayList<>();
    for (Column column : shown) {
      String name = form.show(column.getName());
      lines.add(name + " ".repeat(width - name.length()) + " = " + text(column.getValue()));
    }
    if (shown.size() < columns.size()) {
      lines.add("... and " + (columns.size() - shown.size()) + " more");
    }
    return lines;
  }
}
