package dev.colonnade.cli.shell.run;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records that cannot be written in a file of the same form, so that they can be mended and
 * copied. The file is made for the first of them.
 */
final class BadRecords implements AutoCloseable {

  /** Records are given as their bytes, one character each. */
  private static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private final Path file;
  private final String heading;
  private final boolean append;
  private @Nullable Writer out;
  private long count;
  private String first = "";

  /**
   * @param heading of the file
   * @param append whether to add to a file of an earlier run that this one continues
   */
  BadRecords(Path file, String heading, boolean append) {
    this.file = file;
    this.heading = heading;
    this.append = append;
  }

  /**
   * Keeps one.
   *
   * @param reason why it cannot be written
   */
  void add(long line, String raw, String reason) throws IOException {
    Writer to = out;
    if (to == null) {
      boolean continued = append && Files.exists(file);
      to =
          continued
              ? Files.newBufferedWriter(file, BYTES, StandardOpenOption.APPEND)
              : Files.newBufferedWriter(file, BYTES);
      to.write(continued ? "" : heading);
      out = to;
      first = "line " + line + ": " + reason;
    }
    to.write(raw);
    if (!raw.endsWith("\n")) {
      to.write('\n');
    }
    count++;
  }

  /**
   * Fails if there was one.
   *
   * @param of how many records there were
   */
  void complain(long of) throws StatementFailure {
    if (count > 0) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "BAD_RECORDS",
          count
              + " of "
              + Sizes.counted(of, "record")
              + " cannot be copied, and "
              + (count == 1 ? "is" : "are")
              + " in "
              + file
              + "; the first is at "
              + first,
          null);
    }
  }

  @Override
  public void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
