package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.statement.Statement;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads the statements that read and change columns, from behind their verb. */
final class ColumnStatements {

  private final Tokens tokens;
  private final Position position;
  private final PathParser paths;

  ColumnStatements(Tokens tokens, Position position) {
    this.tokens = tokens;
    this.position = position;
    this.paths = new PathParser(tokens);
  }

  Statement statement(String verb) throws SyntaxException {
    return switch (verb) {
      case "get" -> get();
      case "multiget" -> multiget();
      case "list" -> list(false);
      case "keys" -> list(true);
      case "count" -> count();
      case "set" -> set();
      case "del" -> del();
      case "touch" -> new Statement.Touch(position, paths.family(), paths.keys());
      case "truncate" -> new Statement.Truncate(position, paths.family());
      default -> throw new IllegalArgumentException(verb);
    };
  }

  private Path row() throws SyntaxException {
    Token first = tokens.peek();
    Path path = rowOrWhere();
    if (tokens.peek().isWord("where")) {
      throw tokens.error(first, noIndexes());
    }
    return path;
  }

  private Path rowOrWhere() throws SyntaxException {
    if (tokens.peek().kind() == Token.Kind.WORD && tokens.second().isWord("where")) {
      tokens.take();
      throw tokens.error(noIndexes());
    }
    return paths.row();
  }

  private static String noIndexes() {
    return "there are no secondary indexes; keep a family whose keys are the values that you look"
        + " up";
  }

  private Statement get() throws SyntaxException {
    Path path = row();
    Clauses clauses = new Clauses(tokens, paths).read(Vocabulary.GET_CLAUSES);
    return new Statement.Get(position, path, clauses.slice(), clauses.as());
  }

  private Statement count() throws SyntaxException {
    Path path = row();
    SliceClause slice = new Clauses(tokens, paths).read(Vocabulary.SLICE_CLAUSES).slice();
    return new Statement.Count(position, path, slice);
  }

  private Statement multiget() throws SyntaxException {
    Path family = paths.family();
    List<Literal> keys = paths.keys();
    Path withNames = paths.withNames(family);
    SliceClause slice = new Clauses(tokens, paths).read(Vocabulary.SLICE_CLAUSES).slice();
    return new Statement.Multiget(position, withNames, keys, slice);
  }

  private Statement list(boolean keysOnly) throws SyntaxException {
    Path family = paths.family();
    Optional<Literal> from = Optional.empty();
    Optional<Literal> to = Optional.empty();
    if (tokens.acceptSymbol("[") && !tokens.acceptSymbol("]")) {
      if (!tokens.peek().is(":")) {
        from = Optional.of(paths.literal("a key"));
      }
      if (tokens.peek().is("]") || tokens.peek().is(",")) {
        throw tokens.error(
            "expected ':' after the first key; for one row: get; for several: multiget");
      }
      tokens.expectSymbol(":");
      if (!tokens.acceptSymbol("]")) {
        to = Optional.of(paths.literal("a key"));
        tokens.expectSymbol("]");
      }
    }
    Path withNames = keysOnly ? family : paths.withNames(family);
    Clauses clauses =
        new Clauses(tokens, paths)
            .read(keysOnly ? Vocabulary.KEYS_CLAUSES : Vocabulary.LIST_CLAUSES);
    return new Statement.ListRows(
        position, withNames, from, to, clauses.rows(), keysOnly, clauses.columns());
  }

  private Statement set() throws SyntaxException {
    Path path = row();
    if (path.names().isEmpty()) {
      throw tokens.unexpected("['column']");
    }
    tokens.expectSymbol("=");
    Literal value = paths.literal("a value");
    OptionalInt ttlSeconds = OptionalInt.empty();
    OptionalLong timestamp = OptionalLong.empty();
    if (tokens.accept("with")) {
      do {
        if (ttlSeconds.isEmpty() && tokens.accept("ttl")) {
          tokens.expectSymbol("=");
          ttlSeconds = OptionalInt.of((int) paths.number("ttl in seconds", Integer.MAX_VALUE));
        } else if (timestamp.isEmpty() && tokens.peek().isWord("timestamp")) {
          timestamp = timestamp();
        } else {
          throw tokens.unexpected("timestamp");
        }
      } while (tokens.accept("and"));
    }
    return new Statement.Put(position, path, value, ttlSeconds, timestamp);
  }

  private OptionalLong timestamp() throws SyntaxException {
    tokens.expect("timestamp");
    tokens.expectSymbol("=");
    return OptionalLong.of(paths.number("timestamp in microseconds", Long.MAX_VALUE));
  }

  private Statement del() throws SyntaxException {
    Path path = row();
    SliceClause slice = new Clauses(tokens, paths).read(Vocabulary.DEL_CLAUSES).slice();
    OptionalLong timestamp = tokens.accept("with") ? timestamp() : OptionalLong.empty();
    return new Statement.Delete(position, path, slice, timestamp);
  }
}
