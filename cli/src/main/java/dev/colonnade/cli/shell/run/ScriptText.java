package dev.colonnade.cli.shell.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * The text of a script. A byte that is not UTF-8 ends it with an error, after the text before it:
 * replaced by another character it would be stored. For one thread.
 */
final class ScriptText extends Reader {

  private static final int BUFFER_BYTES = 8 << 10;

  private final InputStream bytes;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final ByteBuffer encoded = ByteBuffer.allocate(BUFFER_BYTES).flip();
  private final CharBuffer text = CharBuffer.allocate(BUFFER_BYTES).flip();
  private boolean end;
  private boolean malformed;
  private int line = 1;

  ScriptText(InputStream bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(char[] into, int offset, int length) throws IOException {
    while (!text.hasRemaining()) {
      if (malformed) {
        throw new IOException("line " + line + " is not UTF-8");
      }
      if (end && !encoded.hasRemaining()) {
        return -1;
      }
      decode();
    }
    int count = Math.min(length, text.remaining());
    text.get(into, offset, count);
    for (int i = offset; i < offset + count; i++) {
      line += into[i] == '\n' ? 1 : 0;
    }
    return count;
  }

  /** Reads no more than what is there, so that each line of a terminal or a pipe runs at once. */
  private void decode() throws IOException {
    text.clear();
    CoderResult result = decoder.decode(encoded, text, end);
    malformed = result.isError();
    text.flip();
    if (result.isUnderflow() && !end && !text.hasRemaining()) {
      encoded.compact();
      int count = bytes.read(encoded.array(), encoded.position(), encoded.remaining());
      end = count < 0;
      encoded.position(encoded.position() + Math.max(0, count));
      encoded.flip();
    }
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }
}
