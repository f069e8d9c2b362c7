package dev.colonnade.cli.shell.output;

import java.util.Iterator;
import java.util.function.BooleanSupplier;

/** Aligned columns, for people. Cells that are too wide are cut, with an ellipsis. */
public final class TableOutput extends HumanOutput {

  /** An output on a printer. */
  public TableOutput(Printer printer) {
    super(printer);
  }

  @Override
  public void column(AnswerScope place, String key, ShownEntry.Column column) {
    Table table = new Table(printer, "column", "value", "timestamp", "ttl");
    add(table, new String[0], column);
    table.end();
    printer.flush();
  }

  @Override
  public void row(AnswerScope place, ShownRow row) {
    Table table =
        row.superFamily()
            ? new Table(printer, "super column", "column", "value", "timestamp", "ttl")
            : new Table(printer, "column", "value", "timestamp", "ttl");
    long count = 0;
    try {
      while (row.entries().hasNext()) {
        add(table, new String[0], row.entries().next());
        count++;
      }
    } finally {
      table.end();
    }
    end(returned(count, row.superFamily() ? "super column" : "column"));
  }

  @Override
  public void rows(AnswerScope place, ShownRows rows) {
    Table table = null;
    long count = 0;
    try {
      while (rows.rows().hasNext()) {
        ShownRow row = rows.rows().next();
        if (table == null) {
          table =
              row.superFamily()
                  ? new Table(printer, "key", "super column", "column", "value", "timestamp", "ttl")
                  : new Table(printer, "key", "column", "value", "timestamp", "ttl");
        }
        String[] key = {Escapes.data(row.key())};
        while (row.entries().hasNext()) {
          add(table, key, row.entries().next());
        }
        count++;
      }
    } finally {
      if (table != null) {
        table.end();
      }
    }
    end(returned(count, "row"));
  }

  @Override
  public void keys(AnswerScope place, Iterator<String> keys, BooleanSupplier more) {
    Table table = new Table(printer, "key");
    long count = 0;
    try {
      while (keys.hasNext()) {
        table.add(Escapes.data(keys.next()));
        count++;
      }
    } finally {
      table.end();
    }
    end(returned(count, "key"));
  }

  @Override
  public void facts(Facts facts) {
    printer.line(Escapes.plain(facts.heading()));
    Table table = new Table(printer, "setting", "value");
    facts.facts().forEach(fact -> table.add(fact.name(), fact.value()));
    table.end();
    for (Facts.Group group : facts.parts()) {
      for (Facts part : group.parts()) {
        printer.line("");
        facts(part);
      }
    }
    printer.flush();
  }

  @Override
  public void listing(Listing listing) {
    if (listing.lines().isEmpty()) {
      end(listing.none());
      return;
    }
    Table table =
        new Table(
            printer, listing.columns().stream().map(Listing.Column::label).toArray(String[]::new));
    listing.lines().forEach(line -> table.add(line.toArray(new String[0])));
    table.end();
    printer.flush();
  }

  private static void add(Table table, String[] before, ShownEntry entry) {
    if (entry instanceof ShownEntry.Super whole) {
      for (ShownEntry.Column column : whole.columns()) {
        add(table, with(before, Escapes.data(whole.name())), column);
      }
    } else if (entry instanceof ShownEntry.Column column) {
      String ttl =
          column.ttlSeconds().isPresent() ? Long.toString(column.ttlSeconds().getAsLong()) : "";
      table.add(
          with(
              before,
              Escapes.data(column.name()),
              Escapes.data(column.value()),
              Long.toString(column.timestampMicros()),
              ttl));
    }
  }

  private static String[] with(String[] before, String... after) {
    String[] all = java.util.Arrays.copyOf(before, before.length + after.length);
    System.arraycopy(after, 0, all, before.length, after.length);
    return all;
  }

  private static String returned(long count, String what) {
    return "(" + count + " " + what + (count == 1 ? "" : "s") + ")";
  }
}
