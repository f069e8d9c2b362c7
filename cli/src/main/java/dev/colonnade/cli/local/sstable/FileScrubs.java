package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.DataFileScrub;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.offline.OfflineFamily;
import dev.colonnade.server.node.offline.OfflineFile;
import dev.colonnade.server.storage.sstable.SSTableCheck;
import dev.colonnade.server.storage.sstable.SSTableSalvage;
import dev.colonnade.server.storage.sstable.SSTableSalvage.Loss;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Salvages files one after the other, and prints what may be missing of each. */
final class FileScrubs {

  private final PrintWriter out;
  private final @Nullable Path into;
  private final boolean acceptLoss;
  private final FigureLines lines;
  private final ProgressLine progress;
  private long looked;
  private long damaged;
  private long written;
  private long notReplaced;
  private long losses;

  /**
   * Creates one.
   *
   * @param into where new files go; null to replace the damaged ones
   */
  FileScrubs(
      PrintWriter out, PrintWriter err, boolean json, @Nullable Path into, boolean acceptLoss) {
    this.out = out;
    this.into = into;
    this.acceptLoss = acceptLoss;
    this.lines = new FigureLines(out, json);
    this.progress = new ProgressLine(err, true);
  }

  /** Salvages the files below one path. */
  void run(Path path, String family) throws IOException, OfflineException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      List<OfflineFamily> families =
          family.isEmpty() ? directory.families() : List.of(directory.family(family));
      if (families.stream().allMatch(each -> each.files().isEmpty()) && !directory.hasManifest()) {
        throw new OfflineException(
            "there are no data files in "
                + path
                + "; of copies of a file in quarantine, drop .quarantined from their names");
      }
      for (OfflineFamily each : families) {
        for (OfflineFile file : each.files()) {
          scrub(directory, each, file);
        }
      }
    }
  }

  private void scrub(DataDirectory directory, OfflineFamily family, OfflineFile file)
      throws IOException, OfflineException {
    String path = directory.path(file);
    long total = directory.bytes(file);
    DataFileScrub scrub =
        new DataFileScrub(
            directory,
            loss -> report(path, family, loss),
            bytes -> progress.show("reading " + family.title(), bytes, total));
    if (!scrub.hasRows(file)) {
      if (file.standing() != OfflineFile.Standing.UNLISTED) {
        lines.remark(path + ": there are no rows to look at");
      }
      return;
    }
    looked++;
    SSTableCheck.Outcome check = scrub.check(file);
    progress.clear();
    boolean inPlace = file.standing() == OfflineFile.Standing.LIVE;
    if (check.problems().isEmpty()) {
      if (!inPlace) {
        lines.remark(path + ": it is sound, and the next start of the node serves it again");
      }
      return;
    }
    damaged++;
    Path target = into;
    DataFileScrub.Scrubbed scrubbed =
        target == null
            ? scrub.replace(family, file, acceptLoss, Instant.now().getEpochSecond())
            : scrub.into(family, file, target);
    progress.clear();
    written += scrubbed.written().isPresent() ? 1 : 0;
    notReplaced += scrubbed.accepted() ? 0 : 1;
    lines.print(
        "scrubbed", fields(path, family, scrubbed), () -> sentence(path, scrubbed, target == null));
    out.flush();
  }

  private void report(String path, OfflineFamily family, Loss loss) {
    progress.clear();
    losses++;
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", path);
    fields.put("family", family.title());
    fields.put("offset", loss.offset());
    fields.put("bytes", loss.bytes());
    fields.put("what", loss.what());
    edge("after", loss.afterRow(), loss.afterPlace(), family, fields);
    edge("before", loss.beforeRow(), loss.beforePlace(), family, fields);
    lines.print(
        "loss",
        fields,
        () ->
            String.format(
                Locale.ROOT,
                "%s: at byte %d, %d bytes: %s; something may be missing from %s to %s",
                path,
                loss.offset(),
                loss.bytes(),
                loss.what(),
                edge(loss.afterRow(), loss.afterPlace(), family, "after", "the first row"),
                edge(loss.beforeRow(), loss.beforePlace(), family, "before", "the last row")));
  }

  private static void edge(
      String side,
      @Nullable RowKey row,
      @Nullable Bound place,
      OfflineFamily family,
      Map<String, Object> fields) {
    if (row != null) {
      fields.put(side + "_key", BytesField.value(row.key()));
    }
    if (place != null) {
      fields.put(side + "_place", RowText.place(family.order(), place));
    }
  }

  private static String edge(
      @Nullable RowKey row,
      @Nullable Bound place,
      OfflineFamily family,
      String side,
      String withoutRow) {
    if (row == null) {
      return withoutRow;
    }
    String key = "row " + RowText.text(row.key());
    return place == null ? side + " " + key : RowText.place(family.order(), place) + " in " + key;
  }

  private static Map<String, Object> fields(
      String path, OfflineFamily family, DataFileScrub.Scrubbed scrubbed) {
    SSTableSalvage.Outcome found = scrubbed.salvage();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", path);
    fields.put("family", family.title());
    scrubbed.written().ifPresent(file -> fields.put("written", file.toString()));
    fields.put("damaged_file", scrubbed.damaged().toString());
    fields.put("accepted", scrubbed.accepted());
    found.rowsOfFile().ifPresent(rows -> fields.put("rows", rows));
    fields.put("rows_whole", found.whole());
    fields.put("rows_incomplete", found.incomplete());
    fields.put("rows_refused", found.refused());
    found.lostRows().ifPresent(rows -> fields.put("rows_lost", rows));
    fields.put("columns", found.cells());
    fields.put("losses", found.losses());
    fields.put("lost_bytes", found.lostBytes());
    return fields;
  }

  private static String sentence(String path, DataFileScrub.Scrubbed scrubbed, boolean replacing) {
    SSTableSalvage.Outcome found = scrubbed.salvage();
    String rows =
        path
            + ": "
            + found.whole()
            + " whole rows, "
            + found.incomplete()
            + " incomplete, "
            + found.refused()
            + " refused, "
            + (found.lostRows().isPresent()
                ? found.lostRows().getAsLong() + " lost"
                : "an unknown number lost");
    if (!scrubbed.accepted()) {
      return rows + "; not replaced: --accept-loss would replace it";
    }
    String where =
        scrubbed.written().map(file -> "; written to " + file).orElse("; no row is left to write");
    return rows + where + (replacing ? "; the damaged file is now " + scrubbed.damaged() : "");
  }

  /** Prints the sums, and returns the exit status: 1 if something may be missing. */
  int finish() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("data_files", looked);
    fields.put("damaged", damaged);
    fields.put("written", written);
    fields.put("not_replaced", notReplaced);
    fields.put("losses", losses);
    lines.print(
        "scrub",
        fields,
        () ->
            looked
                + (looked == 1 ? " file" : " files")
                + " looked at, "
                + damaged
                + " damaged, "
                + written
                + " written"
                + (notReplaced == 0 ? "" : ", " + notReplaced + " not replaced")
                + (losses == 0
                    ? ": nothing is missing"
                    : ": something may be missing at " + losses + " places"));
    return losses == 0 ? 0 : 1;
  }
}
