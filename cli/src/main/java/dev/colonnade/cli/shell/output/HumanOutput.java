package dev.colonnade.cli.shell.output;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/** What outputs for people have in common. */
abstract class HumanOutput implements Output {

  /** Ids of nodes, of which two do not fit a line. */
  private static final Collector<CharSequence, ?, String> NEXT_LINES =
      Collectors.joining(",\n    ");

  private static final long KIBIBYTE = 1024;

  final Printer printer;

  HumanOutput(Printer printer) {
    this.printer = printer;
  }

  @Override
  public void count(AnswerScope place, String key, long count) {
    end(count + " columns");
  }

  @Override
  public void notFound() {
    end("Value was not found");
  }

  @Override
  public void done(String message) {
    end(Escapes.plain(message));
  }

  @Override
  public void note(String message) {
    end(Escapes.plain(message));
  }

  @Override
  public void complete(String plural, int count) {
    // A person sees the end by the prompt.
  }

  @Override
  public void value(String name, String value) {
    end(Escapes.plain(value));
  }

  @Override
  public void text(String name, String text) {
    text.lines().forEach(line -> printer.line(Escapes.plain(line)));
    printer.flush();
  }

  @Override
  public void progress(String phase, long doneBytes, long totalBytes, String detail) {
    String share =
        totalBytes <= 0
            ? bytes(doneBytes)
            : Math.min(100, 100 * doneBytes / totalBytes) + "% of " + bytes(totalBytes);
    printer.passing(Escapes.plain(phase + ": " + share + (detail.isEmpty() ? "" : ", " + detail)));
  }

  @Override
  public void steps(String phase, long done, long total, String detail) {
    String count = total <= 0 ? "" : ": " + done + " of " + total;
    printer.passing(Escapes.plain(phase + count + (detail.isEmpty() ? "" : ", " + detail)));
  }

  @Override
  public void cost(Cost cost) {
    end(
        String.format(
            Locale.ROOT,
            """
            Cost: %d answer%s, %d data files read and %d left alone by their filters,
              %d blocks (%d from the cache), %d deletions passed over, %.3f ms
              on %s;
              asked %s.\
            """,
            cost.answers(),
            cost.answers() == 1 ? "" : "s",
            cost.sstablesRead(),
            cost.bloomRejections(),
            cost.blocksRead(),
            cost.blockCacheHits(),
            cost.tombstonesScanned(),
            cost.serverMicros() / 1000.0,
            cost.coordinators().stream().map(Escapes::plain).collect(NEXT_LINES),
            asked(cost)));
  }

  /** Marks those that did not answer in time. */
  private static String asked(Cost cost) {
    List<String> nodes = new ArrayList<>();
    for (String id : cost.replicas()) {
      nodes.add(
          Escapes.plain(cost.replicasAnswered().contains(id) ? id : id + " (no answer used)"));
    }
    return nodes.isEmpty() ? "no replica" : nodes.stream().collect(NEXT_LINES);
  }

  @Override
  public void elapsed(Duration elapsed) {
    end("Elapsed time: " + elapsed.toMillis() + " msec(s).");
  }

  @Override
  public void failed(Problem problem) {
    String where = problem.where().isEmpty() ? "" : problem.where() + ": ";
    printer.complain(printer.warning(Escapes.plain(where + problem.message())));
  }

  @Override
  public void echo(String statement) {
    statement.lines().forEach(line -> printer.line("> " + Escapes.plain(line)));
    printer.flush();
  }

  final void end(String line) {
    printer.line(line);
    printer.flush();
  }

  private static String bytes(long bytes) {
    return bytes < KIBIBYTE * KIBIBYTE
        ? bytes / KIBIBYTE + " KiB"
        : bytes / (KIBIBYTE * KIBIBYTE) + " MiB";
  }
}
