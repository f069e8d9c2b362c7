package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.SliceClause;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads what follows the brackets: {@code from X to Y since T reversed limit n}, in any order. */
final class Clauses {

  private final Tokens tokens;
  private final PathParser paths;
  private Optional<Literal> from = Optional.empty();
  private boolean fromExclusive;
  private Optional<Literal> to = Optional.empty();
  private boolean toExclusive;
  private Optional<Literal> since = Optional.empty();
  private boolean reversed;
  private OptionalInt limit = OptionalInt.empty();
  private OptionalInt columns = OptionalInt.empty();
  private Optional<String> as = Optional.empty();

  Clauses(Tokens tokens, PathParser paths) {
    this.tokens = tokens;
    this.paths = paths;
  }

  /** Reads all that are allowed. */
  Clauses read(List<String> allowed) throws SyntaxException {
    Optional<String> next = next(allowed);
    while (next.isPresent()) {
      clause(next.get());
      next = next(allowed);
    }
    return this;
  }

  private Optional<String> next(List<String> allowed) throws SyntaxException {
    for (String word : allowed) {
      Token token = tokens.peek();
      if (isGiven(word)) {
        if (token.isWord(word)) {
          throw tokens.error(word + " cannot stand here: it was given already");
        }
      } else if (tokens.accept(word)) {
        return Optional.of(word);
      }
    }
    return Optional.empty();
  }

  private boolean isGiven(String word) {
    return switch (word) {
      case "from", "after" -> from.isPresent();
      case "to", "before" -> to.isPresent();
      case "since" -> since.isPresent();
      case "reversed" -> reversed;
      case "limit" -> limit.isPresent();
      case "columns" -> columns.isPresent();
      default -> as.isPresent();
    };
  }

  private void clause(String word) throws SyntaxException {
    switch (word) {
      case "from", "after" -> {
        from = Optional.of(paths.literal("a name"));
        fromExclusive = word.equals("after");
      }
      case "to", "before" -> {
        to = Optional.of(paths.literal("a name"));
        toExclusive = word.equals("before");
      }
      case "since" -> since = Optional.of(paths.literal("a timestamp"));
      case "reversed" -> reversed = true;
      case "limit" -> limit = count(word);
      case "columns" -> columns = count(word);
      case "as" -> as = Optional.of(paths.run("the name of a type"));
      default -> throw new IllegalArgumentException(word);
    }
  }

  private OptionalInt count(String word) throws SyntaxException {
    return OptionalInt.of((int) paths.number(word, Integer.MAX_VALUE));
  }

  /** Where {@code limit} is of columns. */
  SliceClause slice() {
    return new SliceClause(from, fromExclusive, to, toExclusive, since, reversed, limit);
  }

  /** Where {@code limit} is of rows. */
  SliceClause columns() {
    return new SliceClause(from, fromExclusive, to, toExclusive, since, reversed, columns);
  }

  OptionalInt rows() {
    return limit;
  }

  Optional<String> as() {
    return as;
  }
}
