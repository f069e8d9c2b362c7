package dev.colonnade.cli.shell.output;

import java.util.Iterator;
import java.util.function.BooleanSupplier;

/** As the old cassandra-cli printed. */
public final class ClassicOutput extends HumanOutput {

  private static final String RULER = "-------------------";

  /** An output on a printer. */
  public ClassicOutput(Printer printer) {
    super(printer);
  }

  @Override
  public void column(AnswerScope place, String key, ShownEntry.Column column) {
    print("=> ", column);
    end("");
  }

  @Override
  public void row(AnswerScope place, ShownRow row) {
    long count = print(row);
    end("Returned " + count + " results.");
  }

  @Override
  public void rows(AnswerScope place, ShownRows rows) {
    long count = 0;
    while (rows.rows().hasNext()) {
      ShownRow row = rows.rows().next();
      printer.line(RULER);
      printer.line("RowKey: " + Escapes.data(row.key()));
      long unused = print(row);
      count++;
    }
    printer.line("");
    end(count + (count == 1 ? " Row" : " Rows") + " Returned.");
  }

  @Override
  public void keys(AnswerScope place, Iterator<String> keys, BooleanSupplier more) {
    long count = 0;
    while (keys.hasNext()) {
      printer.line("RowKey: " + Escapes.data(keys.next()));
      count++;
    }
    printer.line("");
    end(count + (count == 1 ? " Key" : " Keys") + " Returned.");
  }

  @Override
  public void facts(Facts facts) {
    print(facts, "");
    printer.flush();
  }

  @Override
  public void listing(Listing listing) {
    if (listing.lines().isEmpty()) {
      end(listing.none());
      return;
    }
    new Columns(printer, listing).print();
    printer.flush();
  }

  private long print(ShownRow row) {
    long count = 0;
    while (row.entries().hasNext()) {
      ShownEntry entry = row.entries().next();
      if (entry instanceof ShownEntry.Super whole) {
        print(whole);
      } else if (entry instanceof ShownEntry.Column column) {
        print("=> ", column);
        printer.line("");
      }
      count++;
    }
    return count;
  }

  private void print(ShownEntry.Super whole) {
    printer.print("=> (super_column=").print(Escapes.data(whole.name())).print(",");
    for (ShownEntry.Column column : whole.columns()) {
      printer.line("");
      print("     ", column);
    }
    printer.line(")");
  }

  private void print(String before, ShownEntry.Column column) {
    printer.print(before).print("(column=").print(Escapes.data(column.name()));
    printer.print(", value=").print(Escapes.data(column.value()));
    printer.print(", timestamp=").print(Long.toString(column.timestampMicros()));
    if (column.ttlSeconds().isPresent()) {
      printer.print(", ttl=").print(Long.toString(column.ttlSeconds().getAsLong()));
    }
    printer.print(")");
  }

  private void print(Facts facts, String indent) {
    printer.line(indent + Escapes.plain(facts.heading()));
    for (Facts.Fact fact : facts.facts()) {
      printer.line(indent + "  " + fact.label() + ": " + Escapes.plain(fact.value()));
    }
    for (Facts.Group group : facts.parts()) {
      printer.line(indent + "  " + group.label() + ":");
      group.parts().forEach(part -> print(part, indent + "    "));
    }
  }
}
