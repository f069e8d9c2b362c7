package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Reads the statements of search indexes, from behind their verb, and writes them. */
final class SearchStatements {

  private final Tokens tokens;
  private final Position position;
  private final PathParser paths;

  SearchStatements(Tokens tokens, Position position) {
    this.tokens = tokens;
    this.position = position;
    this.paths = new PathParser(tokens);
  }

  Statement statement() throws SyntaxException {
    return switch (tokens.oneOf(Vocabulary.SEARCHES)) {
      case "index" -> index();
      case "delete" -> new Statement.DeleteDocument(position, document());
      case "terms" -> terms();
      default -> new Statement.SearchWith(position, row(), paths.run("a participant"), limit());
    };
  }

  private Path row() throws SyntaxException {
    Path row = paths.row();
    if (!row.names().isEmpty()) {
      throw tokens.error("a search is about a whole row: write " + row.family() + "['user']");
    }
    return row;
  }

  private Path document() throws SyntaxException {
    Path document = paths.row();
    if (document.names().size() != 1) {
      throw tokens.error(
          "a document is named by its user and its id: write "
              + document.family()
              + "['user']['id']");
    }
    return document;
  }

  private Statement index() throws SyntaxException {
    Path document = document();
    List<String> found = texts("a text");
    List<String> participants = tokens.accept("with") ? texts("a participant") : List.of();
    String payload = tokens.accept("payload") ? paths.run("a payload") : "";
    return new Statement.IndexDocument(position, document, found, participants, payload);
  }

  private Statement terms() throws SyntaxException {
    Path row = row();
    String allOf = tokens.accept("all") ? paths.run("a text") : "";
    String anyOf = tokens.accept("any") ? paths.run("a text") : "";
    String phrase = tokens.accept("phrase") ? paths.run("a text") : "";
    String prefix = tokens.accept("prefix") ? paths.run("a text") : "";
    List<String> participants = tokens.accept("with") ? texts("a participant") : List.of();
    if (allOf.isEmpty()
        && anyOf.isEmpty()
        && phrase.isEmpty()
        && prefix.isEmpty()
        && participants.isEmpty()) {
      throw tokens.unexpected("with");
    }
    boolean best = tokens.accept("best");
    return new Statement.SearchTerms(
        position, row, allOf, anyOf, phrase, prefix, participants, best, limit());
  }

  private OptionalInt limit() throws SyntaxException {
    return tokens.accept("limit")
        ? OptionalInt.of((int) paths.number("limit", Integer.MAX_VALUE - 1))
        : OptionalInt.empty();
  }

  private List<String> texts(String what) throws SyntaxException {
    List<String> texts = new ArrayList<>();
    do {
      texts.add(paths.run(what));
    } while (tokens.acceptSymbol(","));
    return texts;
  }

  /** The text of a statement that indexes, behind the path of the document. */
  static String print(Statement.IndexDocument index) {
    return " "
        + list(index.texts())
        + (index.participants().isEmpty() ? "" : " with " + list(index.participants()))
        + clause("payload", index.payload());
  }

  /** The text of a search, behind the path of the row. */
  static String print(Statement.SearchTerms search) {
    return clause("all", search.allOf())
        + clause("any", search.anyOf())
        + clause("phrase", search.phrase())
        + clause("prefix", search.prefix())
        + (search.participants().isEmpty() ? "" : " with " + list(search.participants()))
        + (search.bestFirst() ? " best" : "")
        + limit(search.limit());
  }

  /** The text of a search, behind the path of the row. */
  static String print(Statement.SearchWith search) {
    return " " + Names.quoted(search.participant()) + limit(search.limit());
  }

  private static String limit(OptionalInt limit) {
    return limit.isPresent() ? " limit " + limit.getAsInt() : "";
  }

  private static String clause(String word, String text) {
    return text.isEmpty() ? "" : " " + word + " " + Names.quoted(text);
  }

  private static String list(List<String> texts) {
    return texts.stream().map(Names::quoted).collect(Collectors.joining(", "));
  }
}
