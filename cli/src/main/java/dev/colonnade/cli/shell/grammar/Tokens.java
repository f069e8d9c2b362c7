package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The tokens of a chunk from left to right. Remembers what was expected since the last step, so
 * that an error can say what would be right.
 */
final class Tokens {

  private static final int MAX_FOUND_LENGTH = 40;
  private static final int MAX_EXPECTED = 12;

  private final Chunk chunk;
  private final Lexer lexer;
  private final Deque<Token> ahead = new ArrayDeque<>();
  private final List<String> expected = new ArrayList<>();
  private int lastEnd;

  Tokens(Chunk chunk) throws SyntaxException {
    this.chunk = chunk;
    this.lexer = new Lexer(chunk);
    fill(1);
  }

  Token peek() {
    return ahead.getFirst();
  }

  /** The token after the next one. */
  Token second() throws SyntaxException {
    fill(2);
    Token first = ahead.removeFirst();
    Token second = ahead.getFirst();
    ahead.addFirst(first);
    return second;
  }

  Token take() throws SyntaxException {
    Token token = peek();
    if (token.kind() != Token.Kind.END) {
      lastEnd = token.end();
      expected.clear();
      ahead.removeFirst();
      fill(1);
    }
    return token;
  }

  private void fill(int count) throws SyntaxException {
    while (ahead.size() < count) {
      ahead.addLast(lexer.next());
    }
  }

  boolean atEnd() {
    return peek().kind() == Token.Kind.END;
  }

  /** Whether the next token is the first on its line and not the first of all. */
  boolean onNewLine() {
    return chunk.text().substring(lastEnd, peek().start()).indexOf('\n') >= 0;
  }

  /** Whether nothing stands between the last token and the next. */
  boolean touches() {
    return peek().start() == lastEnd && !atEnd();
  }

  Position position() {
    return peek().position();
  }

  /** The text from an offset to the end of the last token. */
  String written(int start) {
    return chunk.text().substring(start, lastEnd);
  }

  /** Takes the next token if it is this word, in any case. */
  boolean accept(String word) throws SyntaxException {
    if (peek().isWord(word)) {
      take();
      return true;
    }
    expected.add(word);
    return false;
  }

  boolean acceptSymbol(String symbol) throws SyntaxException {
    if (peek().is(symbol)) {
      take();
      return true;
    }
    expected.add("'" + symbol + "'");
    return false;
  }

  void expect(String word) throws SyntaxException {
    if (!accept(word)) {
      throw unexpected();
    }
  }

  void expectSymbol(String symbol) throws SyntaxException {
    if (!acceptSymbol(symbol)) {
      throw unexpected();
    }
  }

  /** One of the words, as the collection has it. */
  String oneOf(Collection<String> words) throws SyntaxException {
    Optional<String> word = words.stream().filter(peek()::isWord).findFirst();
    if (word.isEmpty() && peek().kind() == Token.Kind.TEXT) {
      word = words.stream().filter(peek().text()::equalsIgnoreCase).findFirst();
    }
    if (word.isEmpty()) {
      expected.addAll(words);
      throw unexpected();
    }
    take();
    return word.get();
  }

  /** Tells what is wrong with the next token. */
  SyntaxException unexpected(String... alsoExpected) {
    expected.addAll(Arrays.asList(alsoExpected));
    Token found = peek();
    List<String> words = expected.stream().distinct().toList();
    StringBuilder problem = new StringBuilder();
    if (found.kind() == Token.Kind.END) {
      problem.append("the statement ends here; expected ");
    } else {
      problem.append("found ").append(shortened(found)).append("; expected ");
    }
    if (words.size() > MAX_EXPECTED) {
      problem.append("another word");
    } else {
      problem.append(either(words));
    }
    if (found.kind() == Token.Kind.WORD) {
      Spelling.nearest(found.text(), words)
          .ifPresent(word -> problem.append("; did you mean ").append(word).append('?'));
    }
    return error(problem.toString());
  }

  /** An error at the next token. */
  SyntaxException error(String problem) {
    return error(peek(), problem);
  }

  SyntaxException error(Token token, String problem) {
    return chunk.error(token.start(), problem);
  }

  private String shortened(Token token) {
    String text = chunk.text().substring(token.start(), token.end());
    if (text.length() > MAX_FOUND_LENGTH) {
      text = text.substring(0, MAX_FOUND_LENGTH) + "…";
    }
    return token.kind() == Token.Kind.TEXT ? text : "'" + text + "'";
  }

  private static String either(List<String> words) {
    if (words.isEmpty()) {
      return "nothing more";
    }
    int last = words.size() - 1;
    return last == 0
        ? words.get(0)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }
}
