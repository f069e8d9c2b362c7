package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.copy.RecordFormat;
import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Keyspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/** The statement copy: finds out what is meant, and has it copied. */
final class CopyStatement {

  private static final String FORMAT = "format";
  private static final String SKIP = "skip";
  private static final String BAD_ROWS = "bad_rows";

  private final Session session;
  private final Families families;

  CopyStatement(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void run(Statement.Copy copy, Calls calls) throws StatementFailure {
    Family family = families.of(copy.family());
    Keyspace keyspace = session.client().keyspace(family.keyspace());
    RecordFormat format = format(copy);
    Path file = path(copy.file());
    try {
      if (copy.toFile()) {
        refuse(copy, SKIP);
        refuse(copy, BAD_ROWS);
        new FamilyExport(session, family, keyspace.with(calls.reads())).run(file, format);
      } else {
        Path bad = path(value(copy, BAD_ROWS, copy.file() + ".bad"));
        if (Files.exists(bad) && Files.exists(file) && Files.isSameFile(bad, file)) {
          throw StatementFailure.refused(
              BAD_ROWS + " is the file that is read, and what is left of it would be lost");
        }
        new FamilyImport(session, family, keyspace.with(calls.writes()), format)
            .run(file, skip(copy), bad);
      }
    } catch (IOException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "FILE_FAILED",
          "cannot "
              + (copy.toFile() ? "write " : "read ")
              + copy.file()
              + ": "
              + Failures.ofFile(e),
          e);
    }
  }

  private static RecordFormat format(Statement.Copy copy) throws StatementFailure {
    String named = value(copy, FORMAT, "");
    return (named.isEmpty() ? RecordFormat.ofFile(copy.file()) : RecordFormat.of(named))
        .orElseThrow(
            () ->
                StatementFailure.refused(
                    named.isEmpty()
                        ? "the name of "
                            + copy.file()
                            + " does not say what is in it: end it with .csv or .jsonl, or add"
                            + " `with format = csv` or json"
                        : "there is no format " + named + "; there are " + RecordFormat.names()));
  }

  private static long skip(Statement.Copy copy) throws StatementFailure {
    for (Attribute attribute : copy.attributes()) {
      if (attribute.name().equals(SKIP)) {
        int records = AttributeValues.wholeNumber(attribute);
        if (records < 0) {
          throw StatementFailure.refused("skip is 0 or more; got " + records);
        }
        return records;
      }
    }
    return 0;
  }

  private static String value(Statement.Copy copy, String name, String absent) {
    return copy.attributes().stream()
        .filter(attribute -> attribute.name().equals(name))
        .map(Attribute::value)
        .findFirst()
        .orElse(absent);
  }

  private static void refuse(Statement.Copy copy, String name) throws StatementFailure {
    if (!value(copy, name, "").isEmpty()) {
      throw StatementFailure.refused(name + " is for copy … from, which reads a file");
    }
  }

  private static Path path(String file) throws StatementFailure {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED, "REFUSED", file + " is not the name of a file", e);
    }
  }

  /** How fast, for a line that is overwritten. */
  static String rate(long records, long startedNanos) {
    double seconds = Math.max(1, System.nanoTime() - startedNanos) / 1e9;
    return String.format(Locale.ROOT, "%,.0f a second", records / seconds);
  }
}
