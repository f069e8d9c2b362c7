package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.copy.BadRecordException;
import dev.colonnade.cli.shell.copy.ColumnRecord;
import dev.colonnade.cli.shell.copy.RecordFormat;
import dev.colonnade.cli.shell.copy.RecordReader;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.BulkLoadResult;
import dev.colonnade.client.BulkLoader;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Loads the records of files into a family in bulk: the same records as {@code copy … from} reads,
 * sorted here and sent to each replica. A record that cannot be loaded goes into another file, and
 * the next is read.
 */
public final class FamilyBulkLoad {

  /** Between two reports of progress. */
  private static final long REPORT_NANOS = Duration.ofMillis(250).toNanos();

  private static final int RECORDS_PER_REPORT = 10_000;
  private static final Position NOWHERE = new Position(1, 1);

  private final Session session;
  private final BulkLoadOptions options;
  private final long startedNanos = System.nanoTime();
  private long reportedNanos;
  private long sendingNanos;
  private long sentBefore = -1;
  private long read;

  /** Prepares a load; no node is asked yet. */
  public FamilyBulkLoad(Session session, BulkLoadOptions options) {
    this.session = session;
    this.options = options;
  }

  /**
   * Runs it.
   *
   * @param familyName with its keyspace and a dot before it, or of the session's keyspace
   * @param format empty: the names of the files say it
   * @param badFile takes the records that cannot be loaded, if there are any
   */
  public void run(String familyName, List<Path> files, Optional<RecordFormat> format, Path badFile)
      throws StatementFailure {
    try {
      load(familyName, files, format, badFile);
    } catch (IOException | UncheckedIOException e) {
      throw StatementFailure.of(ExitStatus.STATEMENT_FAILED, "FILE_FAILED", Failures.ofFile(e), e);
    } catch (RuntimeException e) {
      throw Thread.interrupted()
          ? Failures.interrupted(true, e)
          : Failures.of(e, session.node(), true);
    }
  }

  private void load(String familyName, List<Path> files, Optional<RecordFormat> named, Path badFile)
      throws IOException, StatementFailure {
    int dot = familyName.indexOf('.');
    Family family =
        new Families(session)
            .of(
                new dev.colonnade.cli.shell.statement.Path(
                    NOWHERE,
                    dot < 0 ? Optional.empty() : Optional.of(familyName.substring(0, dot)),
                    familyName.substring(dot + 1),
                    Optional.empty(),
                    List.of()));
    List<RecordFormat> formats = new ArrayList<>();
    for (Path file : files) {
      formats.add(format(file, named));
      if (!Files.isReadable(file)) {
        throw StatementFailure.refused("cannot read " + file);
      }
      if (Files.exists(badFile) && Files.isSameFile(badFile, file)) {
        throw StatementFailure.refused(
            "the file for bad records is one that is read, and what is left of it would be lost");
      }
    }
    // A load sends to every replica, so its client knows the whole ring.
    try (Colonnade client = Colonnade.connect(List.of(session.node().target()), session.options());
        BulkLoader loader =
            client.bulkLoader(
                family.keyspace(), family.name(), options.withProgress(this::report))) {
      try (BadRecords bad =
          new BadRecords(badFile, heading(files.get(0), formats.get(0), family), false)) {
        for (int i = 0; i < files.size(); i++) {
          read(files.get(i), formats.get(i), family, loader, bad);
        }
        BulkLoadResult result = load(loader);
        done(result, family, files);
        bad.complain(read);
        complain(result, family);
      }
    }
  }

  private BulkLoadResult load(BulkLoader loader) {
    try {
      return loader.load();
    } catch (RuntimeException e) {
      options
          .stateFile()
          .ifPresent(
              state ->
                  session
                      .output()
                      .note(
                          "What replicas have taken is remembered in "
                              + state
                              + "; run the same command again to go on."));
      throw e;
    }
  }

  private static RecordFormat format(Path file, Optional<RecordFormat> named)
      throws StatementFailure {
    Optional<RecordFormat> format = named.or(() -> RecordFormat.ofFile(file.toString()));
    return format.orElseThrow(
        () ->
            StatementFailure.refused(
                "the name of "
                    + file
                    + " does not say what is in it: end it with .csv or .jsonl, or add --format csv"
                    + " or json"));
  }

  /** What the file for bad records begins with: they stand in it as in the first file. */
  private static String heading(Path file, RecordFormat format, Family family) throws IOException {
    try (RecordReader records = format.reader(Files.newInputStream(file), family.isSuper())) {
      return records.heading();
    }
  }

  private void read(
      Path file, RecordFormat format, Family family, BulkLoader loader, BadRecords bad)
      throws IOException {
    try (RecordReader records = format.reader(Files.newInputStream(file), family.isSuper())) {
      boolean more = true;
      while (more) {
        try {
          Optional<ColumnRecord> record = records.next();
          more = record.isPresent();
          if (more) {
            read++;
            add(RecordBytes.of(family, record.get()), loader);
          }
        } catch (BadRecordException e) {
          read++;
          bad.add(records.line(), records.raw(), String.valueOf(e.getMessage()));
        } catch (StatementFailure | IllegalArgumentException e) {
          bad.add(records.line(), records.raw(), String.valueOf(e.getMessage()));
        }
        if (read % RECORDS_PER_REPORT == 0) {
          session
              .output()
              .steps(
                  "Read " + Sizes.counted(read, "record"),
                  0,
                  0,
                  CopyStatement.rate(read, startedNanos));
        }
      }
    }
  }

  private static void add(RecordBytes record, BulkLoader loader) {
    byte[] superColumn = record.superColumn();
    if (superColumn == null) {
      loader.add(record.key(), record.column());
    } else {
      loader.add(record.key(), superColumn, record.column());
    }
  }

  private void report(Progress progress) {
    long now = System.nanoTime();
    boolean sending = progress.phase().equals("sending");
    if (sending && sentBefore < 0) {
      sentBefore = progress.done();
      sendingNanos = now;
    }
    boolean last = sending && progress.done() == progress.total();
    if (!last && reportedNanos != 0 && now - reportedNanos < REPORT_NANOS) {
      return;
    }
    reportedNanos = now;
    if (sending) {
      session.output().progress("Sending", progress.done(), progress.total(), pace(progress, now));
    } else {
      session.output().steps("Sorting " + Sizes.counted(progress.total(), "column"), 0, 0, "");
    }
  }

  /** How fast it is, and how long the rest will take at that rate. */
  private String pace(Progress progress, long nowNanos) {
    double seconds = Math.max(1, nowNanos - sendingNanos) / 1e9;
    double rate = (progress.done() - sentBefore) / seconds;
    String perSecond = String.format(Locale.ROOT, "%.1f MB/s", rate / 1e6);
    if (rate <= 0) {
      return perSecond;
    }
    long left = Math.round((progress.total() - progress.done()) / rate);
    return perSecond
        + ", "
        + left / 60
        + ":"
        + String.format(Locale.ROOT, "%02d", left % 60)
        + " left";
  }

  private void done(BulkLoadResult result, Family family, List<Path> files) {
    session
        .output()
        .done(
            "Loaded "
                + Sizes.counted(result.columns(), "column")
                + " in "
                + Sizes.counted(result.rows(), "row")
                + " from "
                + (files.size() == 1 ? files.get(0).toString() : files.size() + " files")
                + " into "
                + family.keyspace()
                + "."
                + family.name()
                + ", "
                + CopyStatement.rate(result.columns(), startedNanos)
                + ".");
  }

  /** Says what replicas lack; the level was met. */
  private void complain(BulkLoadResult result, Family family) {
    TreeMap<String, Long> rows = new TreeMap<>();
    TreeMap<String, String> reasons = new TreeMap<>();
    TreeMap<String, TreeSet<String>> menders = new TreeMap<>();
    TreeSet<String> unmended = new TreeSet<>();
    for (BulkLoadResult.MissingPart part : result.missing()) {
      String node = part.replica().target();
      rows.merge(node, part.rows(), Long::sum);
      reasons.putIfAbsent(node, part.reason());
      part.repairedBy()
          .ifPresentOrElse(
              mender -> menders.computeIfAbsent(node, none -> new TreeSet<>()).add(mender.target()),
              () -> unmended.add(node));
    }
    rows.forEach(
        (node, count) ->
            session
                .output()
                .note(
                    node
                        + " lacks "
                        + Sizes.counted(count, "row")
                        + " ("
                        + reasons.get(node)
                        + "). "
                        + (unmended.contains(node)
                            ? "Run this command again when it is back, which sends only those, or"
                                + " repair "
                                + family.keyspace()
                                + "."
                                + family.name()
                                + " there."
                            : String.join(", ", menders.getOrDefault(node, new TreeSet<>()))
                                + " will repair them when it is back; to send them at once then,"
                                + " run this command again.")));
  }
}
