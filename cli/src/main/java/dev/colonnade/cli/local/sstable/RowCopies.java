package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.local.sstable.RowLineReader.BadLineException;
import dev.colonnade.cli.local.sstable.RowLineReader.RowLine;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.FamilyRows;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.offline.OfflineFamily;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Prints, exports and imports rows. */
final class RowCopies {

  private static final String STANDARD_INPUT = "-";

  private final PrintWriter out;
  private final PrintWriter err;

  RowCopies(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Prints rows.
   *
   * @param only this row; null for all
   * @param limit how many rows at most
   */
  int dump(Path path, String family, byte @Nullable [] only, long limit, boolean json)
      throws IOException, OfflineException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      OfflineFamily owner = directory.family(family);
      RowText text = new RowText(out, owner.order());
      RowLines lines = new RowLines(out::println, owner.order().isSuper());
      if (json) {
        lines.header(owner);
      }
      long shown = 0;
      try (FamilyRows rows = directory.rows(owner)) {
        for (RowKey key = rows.nextRow();
            key != null && shown < limit && !out.checkError();
            key = rows.nextRow()) {
          if (only != null && !Arrays.equals(only, key.key())) {
            continue;
          }
          shown++;
          if (json) {
            lines.row(key.key(), rows.atoms());
          } else {
            text.row(key, rows.atoms());
          }
        }
      }
      if (only != null && shown == 0 && !json) {
        out.println("there is no such row");
      }
      return 0;
    }
  }

  /**
   * Writes all rows as lines.
   *
   * @param to a new file; null for standard output
   */
  int export(Path path, String family, @Nullable Path to)
      throws IOException, OfflineException, CommandException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      OfflineFamily owner = directory.family(family);
      if (to == null) {
        export(directory, owner, out::println, false);
        return 0;
      }
      exportTo(directory, owner, to);
      return 0;
    }
  }

  private void exportTo(DataDirectory directory, OfflineFamily owner, Path to)
      throws IOException, OfflineException, CommandException {
    boolean done = false;
    try (Writer file =
        new BufferedWriter(
            Files.newBufferedWriter(to, StandardCharsets.US_ASCII, StandardOpenOption.CREATE_NEW),
            1 << 16)) {
      Exported exported = export(directory, owner, line -> file.append(line).append('\n'), true);
      file.flush();
      done = true;
      err.println(
          exported.rows()
              + " rows, "
              + exported.cells()
              + " columns of "
              + owner.title()
              + " exported to "
              + to);
    } catch (FileAlreadyExistsException e) {
      throw CommandException.misconfigured(to + " exists already; name another file", e);
    } finally {
      if (!done && Files.exists(to)) {
        // What is there could be taken for all of it.
        err.println("the export is not complete; delete " + to);
      }
    }
    try (FileChannel channel = FileChannel.open(to, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  private record Exported(long rows, long cells) {}

  private Exported export(
      DataDirectory directory, OfflineFamily owner, RowLines.LineSink sink, boolean toFile)
      throws IOException, OfflineException {
    ProgressLine progress = new ProgressLine(err, toFile);
    RowLines lines = new RowLines(sink, owner.order().isSuper());
    lines.header(owner);
    long count = 0;
    long cells = 0;
    try (FamilyRows rows = directory.rows(owner)) {
      for (RowKey key = rows.nextRow(); key != null; key = rows.nextRow()) {
        cells += lines.row(key.key(), rows.atoms());
        count++;
        progress.show("exporting " + owner.title(), rows.bytesRead(), rows.totalBytes());
        if (!toFile && out.checkError()) {
          throw new IOException("standard output is closed, or its disk is full");
        }
      }
    }
    progress.clear();
    return new Exported(count, cells);
  }

  /** Makes a data file of lines. */
  int importRows(Path file, Path to, String family)
      throws IOException, OfflineException, CommandException {
    boolean fromInput = file.toString().equals(STANDARD_INPUT);
    long size = fromInput || !Files.exists(file) ? 0 : Files.size(file);
    try (InputStream bytes = fromInput ? System.in : new FileInputStream(file.toFile());
        Counted counted = new Counted(bytes);
        BufferedReader text =
            new BufferedReader(new InputStreamReader(counted, StandardCharsets.UTF_8))) {
      RowLineReader lines = new RowLineReader(text);
      try {
        RowLineReader.Heading heading = lines.heading();
        importRows(lines, heading, to, family, counted, size);
        return 0;
      } catch (BadLineException | OfflineException bad) {
        throw CommandException.misconfigured(
            file + ", line " + lines.line() + ": " + bad.getMessage() + "; nothing was imported",
            bad);
      }
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw CommandException.misconfigured("there is no file " + file, e);
    }
  }

  private void importRows(
      RowLineReader lines,
      RowLineReader.Heading heading,
      Path to,
      String family,
      Counted counted,
      long size)
      throws IOException, OfflineException, BadLineException {
    if (family.isEmpty()) {
      DataFileImport.Shape shape =
          DataFileImport.Shape.of(
              heading.id(), heading.partitioner(), heading.comparator(), heading.subcomparator());
      try (DataFileImport target = DataFileImport.create(to, shape)) {
        copy(lines, target, counted, size);
      }
      return;
    }
    try (DataDirectory directory = DataDirectory.open(to)) {
      OfflineFamily owner = directory.family(family);
      requireSame(heading, owner);
      try (DataFileImport target = DataFileImport.into(directory, owner)) {
        copy(lines, target, counted, size);
      }
    }
  }

  private static void requireSame(RowLineReader.Heading heading, OfflineFamily owner)
      throws BadLineException {
    String sub = owner.order().subType() == null ? "" : owner.order().subType().typeName();
    requireSame("partitioner", heading.partitioner(), owner.partitioner(), owner);
    requireSame("comparator", heading.comparator(), owner.order().topType().typeName(), owner);
    requireSame("subcomparator", heading.subcomparator(), sub, owner);
  }

  private static void requireSame(String what, String lines, String family, OfflineFamily owner)
      throws BadLineException {
    if (!lines.equals(family)) {
      throw new BadLineException(
          "the rows have the "
              + what
              + " "
              + (lines.isEmpty() ? "of a Standard family" : lines)
              + ", and "
              + owner.title()
              + " has "
              + (family.isEmpty() ? "that of a Standard family" : family));
    }
  }

  private void copy(RowLineReader lines, DataFileImport target, Counted counted, long size)
      throws IOException, OfflineException, BadLineException {
    ProgressLine progress = new ProgressLine(err, true);
    Optional<RowLine> row = lines.row();
    while (row.isPresent()) {
      row.get().addTo(target);
      progress.show("importing", counted.bytes(), Math.max(size, counted.bytes()));
      row = lines.row();
    }
    progress.clear();
    Optional<Path> made = target.finish();
    out.println(
        made.isEmpty()
            ? "there are no rows to import"
            : target.rows() + " rows, " + target.cells() + " columns imported into " + made.get());
  }
}
