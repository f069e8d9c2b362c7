package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Cuts a script at each {@code ;} that is not in quotes or in a comment, so that a long script
 * needs the memory of one statement only.
 */
final class ChunkReader {

  private static final int BEFORE_LENGTH = 100;

  private final Reader reader;
  private final int maxChunkChars;
  private final StringBuilder text = new StringBuilder();
  private final QuoteTracker openness = new QuoteTracker();

  /** The last characters of the line so far, for excerpts. */
  private final StringBuilder lineSoFar = new StringBuilder();

  private int line = 1;
  private int column = 1;

  /**
   * @param reader should be buffered
   */
  ChunkReader(Reader reader, int maxChunkChars) {
    this.reader = reader;
    this.maxChunkChars = maxChunkChars;
  }

  /**
   * The next chunk, perhaps of blanks; empty at the end of the script.
   *
   * @throws SyntaxException if it is too long; then the next call continues after its {@code ;}
   */
  Optional<Chunk> next() throws SyntaxException {
    text.setLength(0);
    openness.reset();
    Position start = new Position(line, column);
    String before = lineSoFar.toString();
    boolean tooLong = false;
    int c = read();
    if (c < 0) {
      return Optional.empty();
    }
    for (; c >= 0; c = read()) {
      advance((char) c);
      if (openness.endsStatement((char) c)) {
        break;
      }
      tooLong |= text.length() >= maxChunkChars;
      if (!tooLong) {
        text.append((char) c);
      }
    }
    Chunk chunk = new Chunk(text.toString(), start, before);
    if (tooLong) {
      throw chunk.error(
          0,
          "this statement has more than "
              + maxChunkChars
              + " characters, or a quote or a comment in it is not closed");
    }
    return Optional.of(chunk);
  }

  private int read() {
    try {
      return reader.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void advance(char c) {
    if (c == '\n') {
      line++;
      column = 1;
      lineSoFar.setLength(0);
      return;
    }
    column++;
    if (lineSoFar.length() >= 2 * BEFORE_LENGTH) {
      lineSoFar.delete(0, lineSoFar.length() - BEFORE_LENGTH);
    }
    lineSoFar.append(c);
  }
}
