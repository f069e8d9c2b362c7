package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.offline.OfflineFamily;
import dev.colonnade.server.node.offline.OfflineFile;
import dev.colonnade.server.storage.sstable.SSTableCheck;
import dev.colonnade.server.storage.sstable.SSTableCheck.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks files one after the other, and prints what is wrong with each as soon as it is known. */
final class FileChecks {

  private final PrintWriter out;
  private final boolean json;
  private final FigureLines lines;
  private final ProgressLine progress;
  private long doneBytes;
  private long checked;
  private long rows;
  private long problems;

  FileChecks(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.json = json;
    this.lines = new FigureLines(out, json);
    this.progress = new ProgressLine(err, true);
  }

  /** Returns the exit status: 1 if something is damaged. */
  int run(Path path, String family) throws IOException, OfflineException {
    try (DataDirectory directory = DataDirectory.open(path)) {
      List<OfflineFamily> families =
          family.isEmpty() ? directory.families() : List.of(directory.family(family));
      for (Problem problem : directory.problems()) {
        report(problem);
      }
      if (families.stream().allMatch(each -> each.files().isEmpty())
          && directory.problems().isEmpty()
          && !directory.hasManifest()) {
        throw new OfflineException("there are no data files in " + path);
      }
      long total = 0;
      for (OfflineFamily each : families) {
        for (OfflineFile file : each.files()) {
          total += directory.bytes(file);
        }
      }
      for (OfflineFamily each : families) {
        for (OfflineFile file : each.files()) {
          check(directory, each, file, total);
        }
      }
    }
    finish();
    return problems == 0 ? 0 : 1;
  }

  private void check(
      DataDirectory directory, OfflineFamily family, OfflineFile file, long totalBytes)
      throws IOException, OfflineException {
    String path = directory.path(file);
    if (file.standing() == OfflineFile.Standing.UNLISTED) {
      lines.remark(path + ": not live; the next start of the node deletes it");
      return;
    }
    SSTableCheck.Outcome outcome =
        directory.check(
            file,
            bytes -> progress.show("checking " + family.title(), doneBytes + bytes, totalBytes));
    progress.clear();
    doneBytes += directory.bytes(file);
    checked++;
    rows += outcome.rows();
    if (json) {
      lines.print("data_file", fields(path, family, file, outcome));
      problems += outcome.problems().size();
    } else {
      outcome.problems().forEach(this::report);
      if (!outcome.complete()) {
        lines.remark(path + ": there is more damage than is listed here");
      }
    }
    out.flush();
  }

  private void report(Problem problem) {
    problems++;
    lines.print("problem", fields(problem), () -> sentence(problem));
  }

  private static String sentence(Problem problem) {
    return problem.path()
        + ": at byte "
        + problem.offset()
        + ": "
        + problem.what()
        + (problem.rebuilt() ? " (the node repairs this itself at its next start)" : "");
  }

  private static Map<String, Object> fields(Problem problem) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", problem.path());
    fields.put("offset", problem.offset());
    fields.put("what", problem.what());
    fields.put("rebuilt_at_start", problem.rebuilt());
    return fields;
  }

  private static Map<String, Object> fields(
      String path, OfflineFamily family, OfflineFile file, SSTableCheck.Outcome outcome) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file", path);
    fields.put("family", family.title());
    fields.put("standing", file.standing().name().toLowerCase(Locale.ROOT));
    fields.put("rows", outcome.rows());
    fields.put("columns", outcome.cells());
    fields.put("problems", outcome.problems().stream().map(FileChecks::fields).toList());
    fields.put("all_problems", outcome.complete());
    return fields;
  }

  private void finish() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("data_files", checked);
    fields.put("rows", rows);
    fields.put("problems", problems);
    lines.print(
        "checked",
        fields,
        () ->
            String.format(
                Locale.ROOT,
                "%d %s, %d %s, %.1f MB checked: %s",
                checked,
                checked == 1 ? "file" : "files",
                rows,
                rows == 1 ? "row" : "rows",
                doneBytes / 1e6,
                problems == 0 ? "nothing is wrong" : problems + " problems"));
  }
}
