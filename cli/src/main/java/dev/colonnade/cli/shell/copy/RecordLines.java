package dev.colonnade.cli.shell.copy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The lines of a file, none longer than a record can be. A line is given as its bytes, one
 * character each (ISO-8859-1): it may contain bytes that are not UTF-8, and such a record has to be
 * set aside as it is in the file. For one thread.
 */
final class RecordLines implements Closeable {

  private static final int BUFFER_BYTES = 64 << 10;
  private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

  private final InputStream bytes;
  private final int maxBytes;
  private final Deque<String> again = new ArrayDeque<>();
  private long line;

  RecordLines(InputStream bytes, int maxBytes) {
    this.bytes = new BufferedInputStream(bytes, BUFFER_BYTES);
    this.maxBytes = maxBytes;
  }

  /** The next line with its end; empty at the end of the file. */
  String next() throws IOException {
    String found = again.isEmpty() ? read() : again.remove();
    if (!found.isEmpty() && ++line == 1 && found.startsWith(BYTE_ORDER_MARK)) {
      found = found.substring(BYTE_ORDER_MARK.length());
    }
    return found;
  }

  private String read() throws IOException {
    ByteArrayOutputStream found = new ByteArrayOutputStream();
    for (int b = bytes.read(); b >= 0; b = bytes.read()) {
      if (found.size() < maxBytes) {
        found.write(b);
      }
      if (b == '\n') {
        break;
      }
    }
    return found.toString(StandardCharsets.ISO_8859_1);
  }

  /** Gives these lines again, which were the last ones. */
  void again(List<String> last) {
    for (int i = last.size() - 1; i >= 0; i--) {
      again.addFirst(last.get(i));
    }
    line -= last.size();
  }

  /** The number of the last line, from 1 on. */
  long line() {
    return line;
  }

  /** Whether a line is longer than a record can be; its end was passed over. */
  boolean tooLong(String line) {
    return line.length() == maxBytes && line.charAt(maxBytes - 1) != '\n';
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }

  /**
   * The text of bytes that are given as one character each.
   *
   * @throws BadRecordException if they are not UTF-8
   */
  static String text(String bytes) throws BadRecordException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadRecordException("it is not UTF-8", e);
    }
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
