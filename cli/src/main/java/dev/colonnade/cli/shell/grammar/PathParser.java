package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads names, literals, and families with brackets behind them. */
final class PathParser {

  private static final int MAX_NAMES = 2;

  private final Tokens tokens;

  PathParser(Tokens tokens) {
    this.tokens = tokens;
  }

  /** A name of a keyspace or a family: a word, or in quotes. */
  String name(String what) throws SyntaxException {
    Token token = tokens.peek();
    boolean isName =
        switch (token.kind()) {
          case WORD -> true;
          case TEXT -> !token.text().isEmpty();
          case NUMBER -> token.text().chars().allMatch(Character::isDigit);
          default -> false;
        };
    if (!isName) {
      throw tokens.unexpected(what);
    }
    return tokens.take().text();
  }

  /** Something in quotes, or up to the next blank. */
  String run(String what) throws SyntaxException {
    Token first = tokens.peek();
    if (first.kind() == Token.Kind.END || first.is(",")) {
      throw tokens.unexpected(what);
    }
    tokens.take();
    if (first.kind() == Token.Kind.TEXT) {
      return first.text();
    }
    while (tokens.touches()) {
      tokens.take();
    }
    return tokens.written(first.start());
  }

  /** {@code family} or {@code keyspace.family}. */
  Path family() throws SyntaxException {
    Position position = tokens.position();
    String first = name("the name of a column family");
    Optional<String> keyspace = Optional.empty();
    String family = first;
    if (tokens.acceptSymbol(".")) {
      keyspace = Optional.of(first);
      family = name("the name of a column family");
    }
    return new Path(position, keyspace, family, Optional.empty(), List.of());
  }

  /** A family with a key and at most two names. */
  Path row() throws SyntaxException {
    Path family = family();
    tokens.expectSymbol("[");
    Literal key = literal("a key");
    if (tokens.peek().is(",")) {
      throw tokens.error("only one key can stand here; multiget and touch take several");
    }
    tokens.expectSymbol("]");
    List<Literal> names = names();
    return new Path(family.position(), family.keyspace(), family.family(), Optional.of(key), names);
  }

  /** A family with names. */
  Path withNames(Path family) throws SyntaxException {
    return new Path(
        family.position(), family.keyspace(), family.family(), Optional.empty(), names());
  }

  /** {@code ['a', 'b', …]}. */
  List<Literal> keys() throws SyntaxException {
    List<Literal> keys = new ArrayList<>();
    tokens.expectSymbol("[");
    do {
      keys.add(literal("a key"));
    } while (tokens.acceptSymbol(","));
    tokens.expectSymbol("]");
    return keys;
  }

  private List<Literal> names() throws SyntaxException {
    List<Literal> names = new ArrayList<>();
    while (names.size() < MAX_NAMES && tokens.acceptSymbol("[")) {
      names.add(literal("a name"));
      tokens.expectSymbol("]");
    }
    if (tokens.peek().is("[")) {
      throw tokens.error(
          "too many brackets: after a key come at most a super column and one of its columns");
    }
    return names;
  }

  /** A key, name or value. */
  Literal literal(String what) throws SyntaxException {
    if (tokens.peek().kind() == Token.Kind.WORD && tokens.second().is("(")) {
      return typed();
    }
    return plain(what);
  }

  private Literal typed() throws SyntaxException {
    Position position = tokens.position();
    String function = tokens.oneOf(Vocabulary.TYPES).toLowerCase(Locale.ROOT);
    tokens.expectSymbol("(");
    if (tokens.acceptSymbol(")")) {
      return new Literal.Typed(position, function, Optional.empty());
    }
    Literal argument = plain("a value");
    tokens.expectSymbol(")");
    return new Literal.Typed(position, function, Optional.of(argument));
  }

  private Literal plain(String what) throws SyntaxException {
    Token token = tokens.peek();
    Literal literal =
        switch (token.kind()) {
          case WORD -> new Literal.Text(token.position(), token.text(), false);
          case TEXT -> new Literal.Text(token.position(), token.text(), true);
          case NUMBER -> new Literal.Numeral(token.position(), token.text());
          case HEX -> new Literal.Hex(token.position(), token.text());
          case SYMBOL, END -> throw tokens.unexpected(what);
        };
    tokens.take();
    if (tokens.touches() && !isPunctuation(tokens.peek())) {
      throw tokens.error(token, "a word has letters, digits, _ and - only; put this in quotes");
    }
    return literal;
  }

  private static boolean isPunctuation(Token token) {
    return token.kind() == Token.Kind.SYMBOL && ",:)]}".contains(token.text());
  }

  /** A whole number without a sign. */
  long number(String what, long max) throws SyntaxException {
    Token token = tokens.peek();
    if (token.kind() != Token.Kind.NUMBER) {
      throw tokens.unexpected("a number");
    }
    String digits = token.text();
    boolean isWhole = digits.length() <= 19 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    long value = isWhole ? Long.parseUnsignedLong(digits) : -1;
    if (value < 0 || value > max) {
      throw tokens.error(what + " is a whole number from 0 to " + max);
    }
    tokens.take();
    return value;
  }
}
