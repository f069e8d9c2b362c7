package dev.colonnade.cli.demo;

import java.io.PrintWriter;
import java.util.List;

/** Writes the story down for a person: headlines, calls, answers, verdicts. */
public final class Narration {

  private static final String BOLD = "1";
  private static final String CYAN = "36";
  private static final String GREEN = "32";
  private static final String RED = "31";

  private final PrintWriter out;
  private final boolean coloured;

  /**
   * @param out takes the text; flushed after each part, so that it can be read while it grows
   * @param coloured whether to use the colours of a terminal
   */
  public Narration(PrintWriter out, boolean coloured) {
    this.out = out;
    this.coloured = coloured;
  }

  /** Begins a new chapter. */
  public void headline(String text) {
    out.println();
    out.println(paint(BOLD, text));
    out.println(paint(BOLD, "-".repeat(text.length())));
    out.flush();
  }

  /** A sentence for the reader. */
  public void say(String text) {
    out.println(text);
    out.flush();
  }

  /** What is asked of the node. */
  public void call(String text) {
    out.println("  " + paint(CYAN, "> " + text));
    out.flush();
  }

  /** What the node answered, where that is short. */
  public void answer(String text) {
    out.println("      -> " + text);
    out.flush();
  }

  /** What the node answered, or what was sent, line by line. */
  public void lines(List<String> lines) {
    for (String line : lines) {
      out.println(line.isEmpty() ? line : "      " + line);
    }
    out.flush();
  }

  /** Whether a promise was kept. */
  public void verdict(Check check) {
    if (check.holds()) {
      out.println("  " + paint(GREEN, "ok") + "  " + check.claim());
    } else {
      out.println("  " + paint(RED, "DIFFERS") + "  " + check.claim());
      out.println("      expected: " + check.expected());
      out.println("      found:    " + check.found());
    }
    out.flush();
  }

  private String paint(String colour, String text) {
    return coloured ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }
}
