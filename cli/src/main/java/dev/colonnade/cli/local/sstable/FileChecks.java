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
import java.util.List;
import java.util.Locale;

/** Checks files one after the other, and prints what is wrong with each as soon as it is known. */
final class FileChecks {

  private final PrintWriter out;
  private final boolean json;
  private final ProgressLine progress;
  private long doneBytes;
  private long checked;
  private long rows;
  private long problems;

  FileChecks(PrintWriter out, PrintWriter err, boolean json) {
    this.out = out;
    this.json = json;
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
      if (!json) {
        out.println(path + ": not live; the next start of the node deletes it");
      }
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
      out.println(line(path, family, file, outcome));
      problems += outcome.problems().size();
    } else {
      outcome.problems().forEach(this::report);
      if (!outcome.complete()) {
        out.println(path + ": there is more damage than is listed here");
      }
    }
    out.flush();
  }

  private void report(Problem problem) {
    problems++;
    if (json) {
      JsonLine line = new JsonLine().open('{').name("problem");
      fields(line, problem);
      out.println(line.close('}').take());
      return;
    }
    out.println(
        problem.path()
            + ": at byte "
            + problem.offset()
            + ": "
            + problem.what()
            + (problem.rebuilt() ? " (the node repairs this itself at its next start)" : ""));
  }

  private static void fields(JsonLine line, Problem problem) {
    line.open('{').name("file").text(problem.path());
    line.name("offset").number64(problem.offset()).name("what").text(problem.what());
    line.name("rebuilt_at_start").truth(problem.rebuilt()).close('}');
  }

  private static String line(
      String path, OfflineFamily family, OfflineFile file, SSTableCheck.Outcome outcome) {
    JsonLine line = new JsonLine().open('{').name("data_file").open('{');
    line.name("file").text(path).name("family").text(family.title());
    line.name("standing").text(file.standing().name().toLowerCase(Locale.ROOT));
    line.name("rows").number64(outcome.rows()).name("columns").number64(outcome.cells());
    line.name("problems").open('[');
    outcome.problems().forEach(problem -> fields(line, problem));
    line.close(']').name("all_problems").truth(outcome.complete());
    return line.close('}').close('}').take();
  }

  private void finish() {
    if (json) {
      out.println(
          new JsonLine()
              .open('{')
              .name("checked")
              .open('{')
              .name("data_files")
              .number64(checked)
              .name("rows")
              .number64(rows)
              .name("problems")
              .number64(problems)
              .close('}')
              .close('}')
              .take());
      return;
    }
    out.println(
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
