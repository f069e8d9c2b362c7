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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Prints what the auxiliary components of files hold. */
final class FileFigures {

  private final PrintWriter out;
  private final FigureLines lines;

  FileFigures(PrintWriter out, boolean json) {
    this.out = out;
    this.lines = new FigureLines(out, json);
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
      print(path, family, index);
      Optional<IndexEntry> entry = index.next();
      while (entry.isPresent() && !out.checkError()) {
        print(entry.get(), family);
        entry = index.next();
      }
    }
  }

  private void print(String path, OfflineFamily family, SSTableIndexReader index) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", path);
    fields.put("family", family.title());
    fields.put("rows", index.stats().rows());
    fields.put("levels", index.height());
    fields.put("bytes", index.indexBytes());
    fields.put("key_index_rows", index.keyEntries());
    fields.put("key_index_bytes", index.keyBytes());
    lines.print(
        "sstable_index",
        fields,
        () ->
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

  private void print(IndexEntry entry, OfflineFamily family) {
    Optional<String> place = entry.path().map(path -> RowText.place(family.order(), path));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("offset", entry.offset());
    fields.put("bytes", entry.frameBytes());
    fields.put("key", BytesField.value(entry.key().key()));
    place.ifPresent(path -> fields.put("place", path));
    lines.print(
        "data_block",
        fields,
        () ->
            String.format(
                Locale.ROOT,
                "%12d %8d  %s%s",
                entry.offset(),
                entry.frameBytes(),
                RowText.text(entry.key().key()),
                place.map(path -> ", " + path).orElse("")));
  }

  private void filter(DataDirectory directory, OfflineFamily family, OfflineFile file, int tries)
      throws IOException {
    String path = directory.path(file);
    SSTableFilterReport report = directory.filter(file, tries);
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", path);
    fields.put("family", family.title());
    fields.put("rows", report.rows());
    fields.put("bits", report.bits());
    fields.put("bits_set", report.bitsSet());
    fields.put("hashes", report.hashes());
    fields.put("expected_false_positives", report.expected());
    fields.put("measured_false_positives", report.measured());
    fields.put("tried", report.tried());
    lines.print("bloom_filter", fields, () -> sentence(path, report));
  }

  private static String sentence(String path, SSTableFilterReport report) {
    return String.format(
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
        report.tried());
  }
}
