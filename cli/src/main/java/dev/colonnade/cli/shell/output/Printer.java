package dev.colonnade.cli.shell.output;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where answers and complaints go. Not thread-safe. */
public final class Printer {

  /** After this many pieces it checks whether the output is still read. */
  private static final int LISTEN_EVERY = 64;

  private static final String RESET = "\u001b[0m";

  /** What makes colours. Text from the store has none: its escape characters are written out. */
  private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");

  private static final String CLEAR_REST = "\u001b[K";

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean colour;
  private final boolean live;
  private @Nullable PrintWriter captured;
  private int pieces;
  private boolean passing;

  /**
   * A printer.
   *
   * @param colour whether what is written may have colours
   * @param live whether a person watches the output, so that a line may be overwritten
   */
  public Printer(PrintWriter out, PrintWriter err, boolean colour, boolean live) {
    this.out = out;
    this.err = err;
    this.colour = colour;
    this.live = live;
  }

  /** Without colours, for output that is not watched. */
  public static Printer plain(PrintWriter out, PrintWriter err) {
    return new Printer(out, err, false, false);
  }

  /**
   * Writes what is printed from now on to a file as well, without colours; it is closed at the end,
   * or when another one takes its place.
   *
   * @throws IOException if not everything could be written to the file before; this one is written
   *     to nevertheless
   */
  public void capture(Writer file) throws IOException {
    PrintWriter before = captured;
    captured = new PrintWriter(file);
    end(before);
  }

  /**
   * Ends that.
   *
   * @throws IOException if not everything could be written
   */
  public void captureNothing() throws IOException {
    PrintWriter file = captured;
    captured = null;
    end(file);
  }

  private static void end(@Nullable PrintWriter file) throws IOException {
    if (file != null) {
      boolean failed = file.checkError();
      file.close();
      if (failed || file.checkError()) {
        throw new IOException("it could not be written to its end");
      }
    }
  }

  Printer print(String text) {
    clearPassing();
    out.print(text);
    if (captured != null) {
      captured.print(COLOURS.matcher(text).replaceAll(""));
    }
    if (++pieces % LISTEN_EVERY == 0) {
      flush();
    }
    return this;
  }

  /** Ends the line as scripts expect it on every system. */
  void line(String text) {
    print(text).print("\n");
  }

  /** A line about a failure. */
  void complain(String line) {
    out.flush();
    clearPassing();
    err.print(line + "\n");
    err.flush();
  }

  /** Text that warns, where that can be seen. */
  String warning(String text) {
    return colour ? "\u001b[31m" + text + RESET : text;
  }

  /** A word that says whether something is up, in a colour, where that can be seen. */
  String state(String word) {
    if (!colour) {
      return word;
    }
    return switch (word) {
      case "Up" -> "\u001b[32m" + word + RESET;
      case "Down" -> "\u001b[31m" + word + RESET;
      default -> "\u001b[33m" + word + RESET;
    };
  }

  /** Text that stands out, where that can be. */
  String strong(String text) {
    return colour ? "\u001b[1m" + text + RESET : text;
  }

  /** A line that the next one replaces; nothing if the output is not watched. */
  void passing(String line) {
    if (live) {
      err.print("\r" + line + CLEAR_REST);
      err.flush();
      passing = true;
    }
  }

  private void clearPassing() {
    if (passing) {
      passing = false;
      err.print("\r" + CLEAR_REST);
      err.flush();
    }
  }

  /** Hands on what was printed. */
  void flush() {
    if (captured != null) {
      captured.flush();
    }
    if (out.checkError()) {
      throw new UncheckedIOException(new IOException("the output is closed, or its disk is full"));
    }
  }
}
