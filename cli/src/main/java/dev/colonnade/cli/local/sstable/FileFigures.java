package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.offline.OfflineFamily;
import dev.colonnade.server.node.offline.OfflineFile;
import dev.colonnade.server.storage.sstable.SSTableFilterReport;
import dev.colonnade.server.storage.sstable.SSTableIndexReader;
import dev.colonnade.server.storage.sstable.SSTableIndexReader.IndexEntry;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Prints what the auxiliary components of files hold. */
final class FileFigures {

  private final PrintWriter out;
  private final boolean json;

  FileFigures(PrintWriter out, boolean json) {
    this.out = out;
    this.json = json;
  }

  /** What is printed of one file. */
  private interface PerFile {
    void print(DataDirectory directory, OfflineFamily family, OfflineFile file) throws IOException;
  }

  int index(Path path, String family) throws IOException, OfflineException {
    return each(path, family, this::index);
  }

  int filter(Path path, String family, int tries) throws IOException, OfflineException {
    return each(path, family, (directory, owner, file) -> filter(directory, owner, file, tries));
  }

  private int each(Path path, String family, PerFile print) throws IOException, OfflineException {
    int files = 0;
    try (DataDirectory directory = DataDirectory.open(path)) {
      List<OfflineFamily> families =
          family.isEmpty() ? directory.families() : List.of(directory.family(family));
      for (OfflineFamily owner : families) {
        for (OfflineFile file : owner.live()) {
          print.print(directory, owner, file);
          files++;
          if (out.checkError()) {
            return 0;
          }
        }
      }
    }
    if (files == 0) {
      throw new OfflineException("there are no live data files in " + path);
    }
    return 0;
  }

  private void index(DataDirectory directory, OfflineFamily family, OfflineFile file)
      throws IOException {
    String path = directory.path(file);
    try (SSTableIndexReader index = directory.index(file)) {
      if (json) {
        out.println(
            new JsonLine()
                .open('{')
                .name("sstable_index")
                .open('{')
                .name("file")
                .text(path)
                .name("family")
                .text(family.title())
                .name("rows")
                .number64(index.stats().rows())
                .name("levels")
                .number(index.height())
                .name("bytes")
                .number64(index.indexBytes())
                .name("key_index_rows")
                .number64(index.keyEntries())
                .name("key_index_bytes")
                .number64(index.keyBytes())
                .close('}')
                .close('}')
                .take());
      } else {
        out.println(
            path
                + ": "
                + index.stats().rows()
                + " rows; index of "
                + index.height()
                + (index.height() == 1 ? " level, " : " levels, ")
                + index.indexBytes()
                + " bytes; "
                + (index.keyEntries() == 0
                    ? "no key index"
                    : "key index of " + index.keyBytes() + " bytes"));
      }
      Optional<IndexEntry> entry = index.next();
      while (entry.isPresent() && !out.checkError()) {
        print(entry.get(), family);
        entry = index.next();
      }
    }
  }

  private void print(IndexEntry entry, OfflineFamily family) {
    if (json) {
      JsonLine line = new JsonLine().open('{').name("data_block").open('{');
      line.name("offset").number64(entry.offset()).name("bytes").number(entry.frameBytes());
      line.name("key").bytes(entry.key().key());
      entry.path().ifPresent(path -> line.name("place").text(RowText.place(family.order(), path)));
      out.println(line.close('}').close('}').take());
      return;
    }
    out.println(
        String.format(
            Locale.ROOT,
            "%12d %8d  %s%s",
            entry.offset(),
            entry.frameBytes(),
            RowText.text(entry.key().key()),
            entry.path().map(path -> ", " + RowText.place(family.order(), path)).orElse("")));
  }

  private void filter(DataDirectory directory, OfflineFamily family, OfflineFile file, int tries)
      throws IOException {
    String path = directory.path(file);
    SSTableFilterReport report = directory.filter(file, tries);
    if (json) {
      out.println(
          new JsonLine()
              .open('{')
              .name("bloom_filter")
              .open('{')
              .name("file")
              .text(path)
              .name("family")
              .text(family.title())
              .name("rows")
              .number64(report.rows())
              .name("bits")
              .number64(report.bits())
              .name("bits_set")
              .number64(report.bitsSet())
              .name("hashes")
              .number(report.hashes())
              .name("expected_false_positives")
              .fraction(report.expected())
              .name("measured_false_positives")
              .fraction(report.measured())
              .name("tried")
              .number(report.tried())
              .close('}')
              .close('}')
              .take());
      return;
    }
    out.println(
        String.format(
            Locale.ROOT,
            "%s: %d rows, %d bits (%.1f a row), %d of them set (%.0f %%), %d for each row; of"
                + " absent rows %.3f %% should pass, %.3f %% of %d did",
            path,
            report.rows(),
            report.bits(),
            report.bits() / (double) report.rows(),
            report.bitsSet(),
            100.0 * report.bitsSet() / report.bits(),
            report.hashes(),
            100 * report.expected(),
            100 * report.measured(),
            report.tried()));
  }
}
