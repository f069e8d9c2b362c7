package dev.colonnade.cli.shell.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OutputTest {

  private static final AnswerScope PLACE = new AnswerScope("K", "F", Optional.empty());

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void jsonOfAnAnswerThatBreaksOffIsStillALineOfJson() {
    Output json = OutputForm.JSON.to(printer(out));

    assertThrows(IllegalStateException.class, () -> json.row(PLACE, row(columns(1, true))));

    assertEquals(
        "{\"row\":{\"keyspace\":\"K\",\"family\":\"F\",\"key\":\"k\",\"columns\":[{\"name\":\"n0\","
            + "\"value\":\"v\",\"timestamp\":\"9223372036854775807\",\"ttl\":5}],"
            + "\"incomplete\":true}}\n",
        out.toString());
  }

  @Test
  void tableShowsWhatItHasBeforeTheFailure() {
    Output table = OutputForm.TABLE.to(printer(out));

    assertThrows(IllegalStateException.class, () -> table.row(PLACE, row(columns(2, true))));

    assertTrue(out.toString().contains("n1     | v     |"), out.toString());
  }

  @ParameterizedTest
  @EnumSource(OutputForm.class)
  void longAnswersAreWrittenAsTheyCome(OutputForm form) {
    int[] mostBehind = {0};
    int[] taken = {0};
    Iterator<ShownEntry> columns = columns(10_000, false);
    Iterator<ShownEntry> watched =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return columns.hasNext();
          }

          @Override
          public ShownEntry next() {
            boolean shown = out.toString().contains("n" + (taken[0] - 1));
            mostBehind[0] = taken[0] > 200 && !shown ? taken[0] : mostBehind[0];
            taken[0]++;
            if (out.getBuffer().length() > 10_000) {
              out.getBuffer().delete(0, 5_000);
            }
            return columns.next();
          }
        };

    form.to(printer(out)).row(PLACE, row(watched));

    assertEquals(10_000, taken[0]);
    assertEquals(0, mostBehind[0], "was not shown when the next was asked for");
  }

  @Test
  void outputWithoutAReaderEndsTheAnswer() {
    Writer closed =
        new Writer() {
          @Override
          public void write(char[] text, int offset, int length) throws IOException {
            throw new IOException("closed");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Output classic = OutputForm.CLASSIC.to(printer(closed));

    assertThrows(
        UncheckedIOException.class, () -> classic.row(PLACE, row(columns(1_000_000, false))));
  }

  @Test
  void coloursAndPassingLinesAreForTerminalsAlone() {
    Output plain = OutputForm.TABLE.to(printer(out));
    plain.progress("compacting", 1, 2, "");
    plain.row(PLACE, row(columns(1, false)));
    plain.failed(new Problem("here", "went wrong", "REASON", 4));
    assertFalse((out.toString() + err).contains("\u001b"), out.toString() + err);

    Output watched =
        OutputForm.TABLE.to(new Printer(new PrintWriter(out), new PrintWriter(err), true, true));
    watched.progress("compacting", 1 << 20, 2 << 20, "Blog.Authors");
    assertTrue(err.toString().endsWith("\rcompacting: 50% of 2 MiB, Blog.Authors\u001b[K"));
    watched.done("Compacted.");
    assertTrue(err.toString().endsWith("\r\u001b[K"), "the line is still there");
    watched.failed(new Problem("", "went\u001b[2J wrong", "REASON", 4));
    assertTrue(
        err.toString().endsWith("\u001b[31mwent\\u001b[2J wrong\u001b[0m\n"), err.toString());
  }

  private static ShownRow row(Iterator<ShownEntry> entries) {
    return new ShownRow("k", false, entries, () -> false);
  }

  private static Iterator<ShownEntry> columns(int count, boolean thenFail) {
    return new Iterator<>() {
      private int given;

      @Override
      public boolean hasNext() {
        if (given == count && thenFail) {
          throw new IllegalStateException("the connection broke");
        }
        return given < count;
      }

      @Override
      public ShownEntry next() {
        if (given == count) {
          throw new NoSuchElementException();
        }
        return new ShownEntry.Column("n" + given++, "v", Long.MAX_VALUE, OptionalLong.of(5));
      }
    };
  }

  private Printer printer(Writer writer) {
    return Printer.plain(new PrintWriter(writer), new PrintWriter(err));
  }
}
