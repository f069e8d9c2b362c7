package dev.colonnade.cli.shell.copy;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;

/** The lines of a file, none longer than a record can be. For one thread. */
final class RecordLines implements Closeable {

  /**
   * A value of 15 MiB in hexadecimal digits or escapes, with a key and names as long as they get.
   */
  static final int MAX_CHARACTERS = 96 << 20;

  private final BufferedReader text;
  private long line;
  private boolean cut;

  RecordLines(Reader text) {
    this.text = new BufferedReader(text);
  }

  /** The next line with its end; empty at the end of the file. */
  String next() throws IOException {
    StringBuilder found = new StringBuilder();
    cut = false;
    for (int c = text.read(); c >= 0; c = text.read()) {
      if (found.length() < MAX_CHARACTERS) {
        found.append((char) c);
      } else {
        cut = true;
      }
      if (c == '\n') {
        break;
      }
    }
    line += found.length() > 0 ? 1 : 0;
    return found.toString();
  }

  /** The number of the last line, from 1 on. */
  long line() {
    return line;
  }

  /** Whether the last line was longer than a record can be, and its end was passed over. */
  boolean cut() {
    return cut;
  }

  @Override
  public void close() throws IOException {
    text.close();
  }

  /** A line without its end. */
  static String withoutEnd(String line) {
    int end = line.length();
    if (end > 0 && line.charAt(end - 1) == '\n') {
      end--;
      if (end > 0 && line.charAt(end - 1) == '\r') {
        end--;
      }
    }
    return line.substring(0, end);
  }
}
