package dev.colonnade.cli.shell.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
