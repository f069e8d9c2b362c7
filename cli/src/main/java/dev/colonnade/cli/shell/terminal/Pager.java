package dev.colonnade.cli.shell.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.utils.NonBlockingReader;
import org.jline.utils.WCWidth;

/**
 * Writes to a terminal and stops at the end of each screen until the user wants more. Nothing is
 * buffered: while the user reads, the statement waits, and so does the node. Used by one thread.
 */
final class Pager extends PrintWriter {

  private static final String QUESTION = "-- more: Space, Enter for a line, a for all, q to end --";
  private static final String ERASED = "\r" + " ".repeat(QUESTION.length()) + "\r";

  /** On smaller screens there is no point in it. */
  private static final int MIN_HEIGHT = 5;

  private static final int CTRL_C = 3;
  private static final int CTRL_D = 4;
  private static final int ESCAPE = 27;

  private final Terminal terminal;
  private final boolean never;
  private boolean all;
  private boolean ended;
  private boolean inEscape;
  private int column;
  private int linesLeft;

  Pager(Terminal terminal, boolean never) {
    super(terminal.writer());
    this.terminal = terminal;
    this.never = never;
    begin();
  }

  /** What comes now is the answer of another statement. */
  void begin() {
    ended = false;
    inEscape = false;
    column = 0;
    linesLeft = screen();
  }

  /** Whether the user has seen enough of this statement. */
  boolean ended() {
    return ended;
  }

  @Override
  public boolean checkError() {
    return super.checkError() || ended;
  }

  @Override
  public void write(int c) {
    write(String.valueOf((char) c), 0, 1);
  }

  @Override
  public void write(char[] text, int offset, int length) {
    write(String.valueOf(text, offset, length), 0, length);
  }

  @Override
  public void write(String text, int offset, int length) {
    if (never || all) {
      super.write(text, offset, length);
      return;
    }
    int from = offset;
    for (int i = offset; i < offset + length && !ended; i++) {
      if (!endsLine(text.charAt(i))) {
        continue;
      }
      super.write(text, from, i + 1 - from);
      from = i + 1;
      if (--linesLeft <= 0) {
        ask();
      }
    }
    if (!ended) {
      super.write(text, from, offset + length - from);
    }
  }

  /** Follows the cursor; a line that does not fit is two. */
  private boolean endsLine(char c) {
    if (c == '\n') {
      column = 0;
      return true;
    }
    if (c == ESCAPE || inEscape) {
      inEscape = c == ESCAPE || !Character.isLetter(c);
      return false;
    }
    column += Math.max(0, WCWidth.wcwidth(c));
    if (column > Math.max(1, terminal.getWidth())) {
      column = 1;
      linesLeft--;
    }
    return false;
  }

  private int screen() {
    int height = terminal.getHeight();
    return height < MIN_HEIGHT ? Integer.MAX_VALUE : height - 1;
  }

  private void ask() {
    super.flush();
    PrintWriter screen = terminal.writer();
    screen.print(QUESTION);
    screen.flush();
    Attributes before = terminal.enterRawMode();
    try {
      answer(terminal.reader());
    } catch (IOException e) {
      // Ctrl-C, or the terminal was closed.
      ended = true;
    } finally {
      terminal.setAttributes(before);
      screen.print(ERASED);
      screen.flush();
    }
  }

  private void answer(NonBlockingReader keys) throws IOException {
    while (linesLeft <= 0 && !all && !ended) {
      switch (keys.read()) {
        case ' ' -> linesLeft = screen();
        case '\r', '\n' -> linesLeft = 1;
        case 'a', 'A' -> all = true;
        case 'q', 'Q', CTRL_C, CTRL_D, -1 -> ended = true;
        default -> {
          // Some other key: the prompt stays.
        }
      }
    }
  }
}
