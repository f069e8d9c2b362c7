package dev.colonnade.cli.demo.story;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Writes the story down for a person: headlines, statements, answers, verdicts. */
public class Narration {

  private static final int WIDTH = 80;
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

  /** Sentences for the reader. */
  public void say(String text) {
    print(out, text);
  }

  private static void print(PrintWriter out, String text) {
    wrapped(text, WIDTH).forEach(out::println);
    out.flush();
  }

  /** What is asked of the node, or of the application. */
  public void statement(String text) {
    String prefix = "> ";
    for (String line : wrapped(text, WIDTH - 4)) {
      out.println("  " + paint(CYAN, prefix + line));
      prefix = "    ";
    }
    out.flush();
  }

  /** What was answered, drawn. */
  public void answer(List<String> drawing) {
    lines(drawing);
  }

  /** Lines as they are. */
  public void lines(List<String> lines) {
    for (String line : lines) {
      out.println(line.isEmpty() ? line : "      " + line);
    }
    out.flush();
  }

  /** Sentences that a short narration has, too. */
  public void sayAlways(String text) {
    Narration.print(out, text);
  }

  /**
   * Sums up a chapter in which every promise was kept; here the reader has seen all of it.
   *
   * @param answers how many were checked
   */
  public void summary(int answers, String title) {
    // Each check has been told.
  }

  /** Whether a promise was kept. */
  public void verdict(Check check) {
    if (check.holds()) {
      succeeded(check.claim());
    } else {
      out.println("  " + paint(RED, "DIFFERS") + "  " + check.claim());
      out.println("      expected: " + check.expected());
      out.println("      found:    " + check.found());
    }
    out.flush();
  }

  final void succeeded(String claim) {
    out.println("  " + paint(GREEN, "ok") + "  " + claim);
    out.flush();
  }

  private String paint(String colour, String text) {
    return coloured ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }

  /** Breaks at blanks, never within a word. */
  private static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() > 0 ? " " : "").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
