package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.copy.ColumnRecord;
import dev.colonnade.cli.shell.copy.RecordFormat;
import dev.colonnade.cli.shell.output.ShownEntry;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.Entry;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Row;
import dev.colonnade.client.Slice;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;

/**
 * Writes a family into a file, row by row in the partitioner's order. No more than a part of a row
 * is in memory.
 */
final class FamilyExport {

  /** Of a row at once; what it has more is read as a stream. */
  private static final int ROW_PART = 1_000;

  private static final int REPORT_EVERY = 1_024;

  private final Session session;
  private final Family family;
  private final Level<?> level;
  private final long startedNanos = System.nanoTime();
  private long columns;
  private long rows;

  /** Whether a sentence for people would be among the records. */
  private boolean mixed;

  FamilyExport(Session session, Family family, Keyspace keyspace) {
    this.session = session;
    this.family = family.exact();
    this.level = Level.top(this.family, keyspace);
  }

  void run(Path file, RecordFormat format) throws IOException {
    mixed = ExportFile.isStandardOutput(file);
    try (ExportFile target = ExportFile.open(file)) {
      target.writer().write(format.heading(family.isSuper()));
      rows(level, target.writer(), format);
      target.complete();
    }
    if (mixed) {
      return;
    }
    session
        .output()
        .done(
            "Copied "
                + Sizes.counted(columns, "column")
                + " of "
                + Sizes.counted(rows, "row")
                + " to "
                + file
                + ", "
                + CopyStatement.rate(columns, startedNanos)
                + ".");
  }

  private <C> void rows(Level<C> level, Writer out, RecordFormat format) throws IOException {
    Slice<byte[]> part = Slice.<byte[]>all().limit(ROW_PART);
    try (Cursor<Row<byte[], C>> found = level.entries().range(KeyRange.all(), part)) {
      while (found.hasNext()) {
        Row<byte[], C> row = found.next();
        rows++;
        String key = family.show(row.key());
        for (C entry : row.entries()) {
          write(key, level.shown().apply(entry), out, format);
        }
        if (row.entries().size() == ROW_PART) {
          rest(level, row, out, format);
        }
      }
    }
  }

  private <C> void rest(Level<C> level, Row<byte[], C> row, Writer out, RecordFormat format)
      throws IOException {
    C last = row.entries().get(ROW_PART - 1);
    byte[] name = (byte[]) ((Entry<?>) last).name();
    String key = family.show(row.key());
    try (Cursor<C> more = level.entries().stream(row.key(), Slice.after(name))) {
      while (more.hasNext()) {
        write(key, level.shown().apply(more.next()), out, format);
      }
    }
  }

  private void write(String key, ShownEntry entry, Writer out, RecordFormat format)
      throws IOException {
    boolean isSuper = entry instanceof ShownEntry.Super;
    List<ShownEntry.Column> shown =
        entry instanceof ShownEntry.Super whole
            ? whole.columns()
            : List.of((ShownEntry.Column) entry);
    for (ShownEntry.Column column : shown) {
      out.write(
          format.text(
              new ColumnRecord(
                  key,
                  isSuper ? Optional.of(entry.name()) : Optional.empty(),
                  column.name(),
                  column.value(),
                  OptionalLong.of(column.timestampMicros()),
                  column.ttlSeconds()),
              isSuper));
      columns++;
      if (columns % REPORT_EVERY == 0) {
        report();
      }
    }
  }

  private void report() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("the thread was interrupted");
    }
    if (mixed) {
      return;
    }
    session
        .output()
        .steps(
            "Copied " + Sizes.counted(columns, "column"),
            0,
            0,
            CopyStatement.rate(columns, startedNanos));
  }
}
