package dev.colonnade.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs commands in this process, and has what the latest one printed. */
final class Invocation {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Runs a command line; returns its exit status. */
  int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Colonnade.commandLine(arguments)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }
}
