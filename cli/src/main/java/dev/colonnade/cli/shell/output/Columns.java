package dev.colonnade.cli.shell.output;

import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.cli.shell.output.Listing.Column.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Lays out a listing: columns as wide as what stands in them, with two blanks between. Where that
 * takes more than the 80 columns of a terminal, long headings take two lines, and if it is still
 * too wide, there is one blank between.
 */
final class Columns {

  private static final int TERMINAL = 80;
  private static final int GAP = 2;

  private final Printer printer;
  private final List<Column> columns;
  private final List<List<String>> cells = new ArrayList<>();
  private final int[] widths;

  /** The headings on the line right above the cells, and on the one above that, if it is needed. */
  private List<String> headings;

  private List<String> above = List.of();
  private int gap = GAP;

  Columns(Printer printer, Listing listing) {
    this.printer = printer;
    this.columns = listing.columns();
    for (List<String> line : listing.lines()) {
      cells.add(line.stream().map(Escapes::plain).toList());
    }
    this.headings = columns.stream().map(Column::label).toList();
    this.widths = new int[columns.size()];
    measure();
    if (width() > TERMINAL) {
      cutHeadings();
    }
    if (width() > TERMINAL) {
      gap = 1;
    }
  }

  void print() {
    if (!above.isEmpty()) {
      line(above, false);
    }
    line(headings, false);
    cells.forEach(each -> line(each, true));
  }

  /** Puts the first words of a heading that is wider than its cells on a line of their own. */
  private void cutHeadings() {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      String label = headings.get(i);
      int cut = label.lastIndexOf(' ');
      boolean wide = width(label) == widths[i] && cut > 0;
      first.add(wide ? label.substring(0, cut) : "");
      second.add(wide ? label.substring(cut + 1) : label);
    }
    above = first;
    headings = second;
    measure();
  }

  private void measure() {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = width(headings.get(i));
      if (!above.isEmpty()) {
        widths[i] = Math.max(widths[i], width(above.get(i)));
      }
      for (List<String> line : cells) {
        widths[i] = Math.max(widths[i], width(line.get(i)));
      }
    }
  }

  private int width() {
    int width = gap * (widths.length - 1);
    for (int each : widths) {
      width += each;
    }
    return width;
  }

  private void line(List<String> line, boolean coloured) {
    StringBuilder text = new StringBuilder();
    int blanks = 0;
    for (int i = 0; i < widths.length; i++) {
      Kind kind = columns.get(i).kind();
      String cell = line.get(i);
      int padding = widths[i] - width(cell);
      blanks += kind == Kind.NUMBERS ? padding : 0;
      if (!cell.isEmpty()) {
        text.append(" ".repeat(blanks));
        text.append(coloured && kind == Kind.STATES ? printer.state(cell) : cell);
        blanks = 0;
      }
      blanks += (kind == Kind.NUMBERS ? 0 : padding) + gap;
    }
    printer.line(text.toString());
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
