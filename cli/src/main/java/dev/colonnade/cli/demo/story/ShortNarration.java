package dev.colonnade.cli.demo.story;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Fits a screen: a line for each chapter, and every promise that was not kept. */
public class ShortNarration extends Narration {

  /**
   * @param out takes the text; flushed after each line
   * @param coloured whether to use the colours of a terminal
   */
  public ShortNarration(PrintWriter out, boolean coloured) {
    super(out, coloured);
  }

  @Override
  public void headline(String text) {
    // A chapter is told by its summary.
  }

  @Override
  public void say(String text) {
    // As above.
  }

  @Override
  public void statement(String text) {
    // As above.
  }

  @Override
  public void answer(List<String> drawing) {
    // As above.
  }

  @Override
  public void lines(List<String> lines) {
    // As above.
  }

  @Override
  public void verdict(Check check) {
    if (!check.holds()) {
      super.verdict(check);
    }
  }

  @Override
  public void summary(int answers, String title) {
    succeeded(
        String.format(
            Locale.ROOT, "%2d %-7s  %s", answers, answers == 1 ? "answer" : "answers", title));
  }
}
