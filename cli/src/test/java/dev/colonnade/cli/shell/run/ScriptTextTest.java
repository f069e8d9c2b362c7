package dev.colonnade.cli.shell.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The text of scripts, as it comes. */
final class ScriptTextTest {

  /** Gives what was written into a pipe, and must not be asked for more before. */
  private static InputStream pipe(Queue<byte[]> written) {
    return new InputStream() {
      @Override
      public int read() {
        throw new AssertionError("byte by byte");
      }

      @Override
      public int read(byte[] into, int offset, int length) {
        byte[] next = written.poll();
        if (next == null) {
          throw new AssertionError("the reader waits for more than the line that is there");
        }
        System.arraycopy(next, 0, into, offset, next.length);
        return next.length;
      }
    };
  }

  @Test
  void aLineIsGivenBeforeTheNextOneComes() throws Exception {
    Queue<byte[]> written = new ArrayDeque<>();
    BufferedReader reader = new BufferedReader(new ScriptText(pipe(written)));
    for (String line : List.of("get a;", "gr\u00fc\u00dfe;", "")) {
      written.add((line + "\n").getBytes(StandardCharsets.UTF_8));
      assertEquals(line, reader.readLine());
    }
    // A character whose bytes come one by one.
    written.add(new byte[] {(byte) 0xc3});
    written.add(new byte[] {(byte) 0xbc});
    assertEquals('\u00fc', reader.read());
  }

  @Test
  void theTextBeforeWrongBytesIsGivenAndThenTheirLineIsNamed() throws Exception {
    byte[] bytes = "one;\ntwo\u00e9;\n".getBytes(StandardCharsets.ISO_8859_1);
    BufferedReader reader = new BufferedReader(new ScriptText(new ByteArrayInputStream(bytes)));
    assertEquals("one;", reader.readLine());
    IOException wrong = assertThrows(IOException.class, reader::readLine);
    assertEquals("line 2 is not UTF-8", wrong.getMessage());
    byte[] cut = {'a', (byte) 0xc3};
    BufferedReader other = new BufferedReader(new ScriptText(new ByteArrayInputStream(cut)));
    assertEquals('a', other.read());
    assertThrows(IOException.class, other::read);
  }
}
