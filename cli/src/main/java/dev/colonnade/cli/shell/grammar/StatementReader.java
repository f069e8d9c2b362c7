package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads statements one by one. Each ends with {@code ;}. The last of a text needs none, nor does
 * one that is followed by a line that begins with a verb. A text may be of any length, a statement
 * or a batch has at most {@link #MAX_STATEMENT_CHARS} characters. Not thread-safe.
 */
public final class StatementReader {

  /** The most characters of one statement, or of one batch: the longest value has 30 Mi digits. */
  public static final int MAX_STATEMENT_CHARS = 32 << 20;

  /** Statements that a terminal runs at the end of the line. */
  private static final Set<String> ONE_LINERS = Set.of("help", "?", "exit", "quit", "use");

  private static final String BATCH = "batch";
  private static final String END = "end";

  private final ChunkReader chunks;
  private final int maxStatementChars;
  private @Nullable Tokens tokens;
  private @Nullable Chunk chunk;
  private int batchChars;
  private String verb = "";

  /** Reads the statements of a text. */
  public StatementReader(String text) {
    this(new StringReader(text));
  }

  /**
   * Reads the statements of a script, no further than the {@code ;} of each.
   *
   * @param script should be buffered; the caller closes it
   */
  public StatementReader(Reader script) {
    this(script, MAX_STATEMENT_CHARS);
  }

  StatementReader(Reader script, int maxStatementChars) {
    this.chunks = new ChunkReader(script, maxStatementChars);
    this.maxStatementChars = maxStatementChars;
  }

  /** All statements of a text. */
  public static List<Statement> parseAll(String text) throws SyntaxException {
    StatementReader reader = new StatementReader(text);
    List<Statement> statements = new ArrayList<>();
    Optional<Statement> next = reader.next();
    while (next.isPresent()) {
      statements.add(next.get());
      next = reader.next();
    }
    return List.copyOf(statements);
  }

  /** Whether a terminal should run what was typed so far, rather than ask for another line. */
  public static Completeness completeness(String text) {
    QuoteTracker openness = new QuoteTracker();
    boolean inBatch = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      if (openness.endsStatement(text.charAt(i))) {
        String first = firstWord(text.substring(start, i));
        inBatch = inBatch ? !first.equals(END) : first.equals(BATCH);
        start = i + 1;
      }
    }
    String rest = text.substring(start);
    String first = firstWord(rest);
    boolean oneLine =
        first.isEmpty() || (ONE_LINERS.contains(first) && rest.strip().indexOf('\n') < 0);
    return oneLine && !inBatch && !openness.isOpen()
        ? Completeness.COMPLETE
        : Completeness.INCOMPLETE;
  }

  /**
   * The next statement; empty at the end.
   *
   * @throws SyntaxException if the next text is not a statement. Then the next call continues after
   *     the next {@code ;}, or after the {@code end;} of a batch: no part of a wrong batch is read
   *     as a statement of its own.
   * @throws java.io.UncheckedIOException if the script cannot be read
   */
  public Optional<Statement> next() throws SyntaxException {
    verb = "";
    Tokens current = current();
    if (current == null) {
      return Optional.empty();
    }
    verb = current.peek().lower();
    if (current.peek().isWord(BATCH)) {
      return Optional.of(batch(current));
    }
    return Optional.of(statement(current));
  }

  /** What the statement of the last {@link #next} begins with, in lower case, right or wrong. */
  public String verb() {
    return verb;
  }

  private Statement statement(Tokens current) throws SyntaxException {
    try {
      Statement statement = new StatementParser(current).statement();
      endStatement(current);
      return statement;
    } catch (SyntaxException e) {
      tokens = null;
      throw e;
    }
  }

  private Statement batch(Tokens opening) throws SyntaxException {
    Token verb = opening.peek();
    batchChars = 0;
    try {
      opening.take();
      endStatement(opening);
      List<Statement.Change> changes = new ArrayList<>();
      while (true) {
        Tokens current = current();
        if (current == null) {
          throw opening.error(verb, "this batch has no end; close it with end;");
        }
        if (current.accept(END)) {
          endStatement(current);
          return new Statement.Batch(verb.position(), changes);
        }
        if (batchChars > maxStatementChars) {
          throw opening.error(
              verb,
              "this batch has more than " + maxStatementChars + " characters; apply it in several");
        }
        changes.add(change(current));
      }
    } catch (SyntaxException e) {
      skipBatch();
      throw e;
    }
  }

  private static Statement.Change change(Tokens current) throws SyntaxException {
    Token verb = current.peek();
    if (!verb.isWord("set") && !verb.isWord("del")) {
      throw current.unexpected("set", "del");
    }
    Statement statement = new StatementParser(current).statement();
    endStatement(current);
    if (statement instanceof Statement.Change change) {
      return change;
    }
    throw new IllegalStateException(verb.text() + " was read as " + statement);
  }

  /** Skips the rest of a batch. */
  private void skipBatch() {
    boolean ended = tokens != null && chunk != null && hasEnd(chunk);
    tokens = null;
    while (!ended) {
      try {
        Optional<Chunk> next = chunks.next();
        ended = next.isEmpty() || hasEnd(next.get());
      } catch (SyntaxException e) {
        // It is too long; the batch is refused anyway.
        ended = false;
      }
    }
  }

  /** Whether a line of it begins with {@code end}. */
  private static boolean hasEnd(Chunk chunk) {
    try {
      Tokens all = new Tokens(chunk);
      boolean ends = all.peek().isWord(END);
      while (!ends && !all.atEnd()) {
        all.take();
        ends = all.onNewLine() && all.peek().isWord(END);
      }
      return ends;
    } catch (SyntaxException e) {
      // A line that cannot be read is not the end.
      return false;
    }
  }

  private static void endStatement(Tokens current) throws SyntaxException {
    Token next = current.peek();
    boolean isVerb =
        next.is("?")
            || (next.kind() == Token.Kind.WORD && Vocabulary.verb(next.text()).isPresent());
    if (!current.atEnd() && !(isVerb && current.onNewLine())) {
      throw current.unexpected("';'");
    }
  }

  /** At a token that is not the end of its chunk; null at the end of the script. */
  private @Nullable Tokens current() throws SyntaxException {
    Tokens current = tokens;
    while (current == null || current.atEnd()) {
      tokens = null;
      Optional<Chunk> next = chunks.next();
      if (next.isEmpty()) {
        return null;
      }
      chunk = next.get();
      batchChars += Math.min(next.get().text().length(), maxStatementChars);
      current = new Tokens(next.get());
      tokens = current;
    }
    return current;
  }

  /** In lower case; empty if there is none. */
  private static String firstWord(String text) {
    try {
      Token first = new Lexer(new Chunk(text, new Position(1, 1), "")).next();
      return first.kind() == Token.Kind.END ? "" : first.lower();
    } catch (SyntaxException e) {
      // An open quote or comment: something, and not a verb.
      return "'";
    }
  }
}
