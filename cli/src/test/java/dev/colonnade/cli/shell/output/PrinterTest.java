package dev.colonnade.cli.shell.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What is printed, and what of that is also written to a file. */
final class PrinterTest {

  @Test
  void coloursAreForTheTerminalAndNotForTheFile() throws IOException {
    StringWriter out = new StringWriter();
    StringWriter file = new StringWriter();
    Printer printer = new Printer(new PrintWriter(out), new PrintWriter(out), true, false);
    printer.capture(file);
    printer.line(printer.state("Up") + " " + printer.strong("name") + " [0m");
    printer.captureNothing();
    assertEquals("\u001b[32mUp\u001b[0m \u001b[1mname\u001b[0m [0m\n", out.toString());
    assertEquals("Up name [0m\n", file.toString());
  }

  /** A file on a disk that is full when it is closed. */
  private static final class FullFile extends StringWriter {
    private boolean closed;

    @Override
    public void flush() {}

    @Override
    public void close() throws IOException {
      closed = true;
      throw new IOException("no space");
    }
  }

  @Test
  void anotherFileTakesThePlaceOfOneThatIsIncompleteAndBothAreClosed() throws IOException {
    StringWriter out = new StringWriter();
    Printer printer = Printer.plain(new PrintWriter(out), new PrintWriter(out));
    FullFile first = new FullFile();
    FullFile second = new FullFile();
    printer.capture(first);
    printer.line("one");
    assertThrows(IOException.class, () -> printer.capture(second));
    printer.line("two");
    assertThrows(IOException.class, printer::captureNothing);
    printer.line("three");
    assertEquals("one\n", first.toString());
    assertEquals("two\n", second.toString());
    assertTrue(first.closed && second.closed);
  }
}
