package dev.colonnade.cli.shell.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lines of cells below one another. The widths are those of the first lines, which wait until there
 * are enough of them; what comes later is written at once, and pushes its line apart where it is
 * wider.
 */
final class Table {

  private static final int LOOK_AHEAD = 100;
  private static final int WIDEST = 60;

  private final Printer printer;
  private final List<String> headings;
  private final List<List<String>> waiting = new ArrayList<>();
  private int[] widths = {};

  Table(Printer printer, String... headings) {
    this.printer = printer;
    this.headings = List.of(headings);
  }

  void add(String... cells) {
    List<String> line = Arrays.stream(cells).map(Table::cell).toList();
    if (widths.length > 0) {
      print(line);
      return;
    }
    waiting.add(line);
    if (waiting.size() == LOOK_AHEAD) {
      begin();
    }
  }

  /** Writes what still waits; of a table without lines, nothing. */
  void end() {
    if (widths.length == 0 && !waiting.isEmpty()) {
      begin();
    }
  }

  private void begin() {
    widths = new int[headings.size()];
    measure(headings);
    waiting.forEach(this::measure);
    printer.line(printer.strong(line(headings)));
    StringBuilder ruler = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      ruler.append(i == 0 ? "" : "-+-").append("-".repeat(widths[i]));
    }
    printer.line(ruler.toString());
    waiting.forEach(this::print);
    waiting.clear();
  }

  private void measure(List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(cells.get(i)));
    }
  }

  private void print(List<String> cells) {
    printer.line(line(cells));
  }

  private String line(List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      line.append(i == 0 ? "" : " | ").append(cells.get(i));
      line.append(" ".repeat(Math.max(0, widths[i] - width(cells.get(i)))));
    }
    return line.toString().stripTrailing();
  }

  private static String cell(String text) {
    String head = text.length() > 2 * WIDEST ? text.substring(0, 2 * WIDEST) : text;
    String shown = Escapes.plain(head);
    if (shown.codePointCount(0, shown.length()) <= WIDEST && head.length() == text.length()) {
      return shown;
    }
    int points = Math.min(WIDEST - 1, shown.codePointCount(0, shown.length()));
    return shown.substring(0, shown.offsetByCodePoints(0, points)) + "…";
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
