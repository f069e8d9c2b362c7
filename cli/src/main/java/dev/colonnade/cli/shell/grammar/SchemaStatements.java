package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.statement.Statement.Described;
import dev.colonnade.cli.shell.statement.Statement.Shown;
import java.util.List;
import java.util.Optional;

/** Reads the statements about keyspaces and column families, from behind their verb. */
final class SchemaStatements {

  private static final String KEYSPACE = "the name of a keyspace";

  private final Tokens tokens;
  private final Position position;
  private final PathParser paths;

  SchemaStatements(Tokens tokens, Position position) {
    this.tokens = tokens;
    this.position = position;
    this.paths = new PathParser(tokens);
  }

  Statement statement(String verb) throws SyntaxException {
    return switch (verb) {
      case "create" -> define(true);
      case "update" -> define(false);
      case "drop" -> drop();
      case "describe" -> describe();
      case "show" -> show();
      case "assume" -> assume();
      default -> throw new IllegalArgumentException(verb);
    };
  }

  private Statement define(boolean create) throws SyntaxException {
    if (tokens.accept("keyspace")) {
      String keyspace = paths.name(KEYSPACE);
      return new Statement.DefineKeyspace(
          position, create, keyspace, attributes(Vocabulary.KEYSPACE_SETTINGS));
    }
    columnFamily();
    Path family = paths.family();
    return new Statement.DefineFamily(
        position, create, family, attributes(Vocabulary.FAMILY_SETTINGS));
  }

  private List<Attribute> attributes(List<Vocabulary.Setting> settings) throws SyntaxException {
    return new AttributeParser(tokens, paths, settings).attributes();
  }

  private void columnFamily() throws SyntaxException {
    if (tokens.peek().isWord("column")) {
      tokens.take();
      tokens.expect("family");
    } else {
      throw tokens.unexpected("column family");
    }
  }

  private Statement drop() throws SyntaxException {
    if (tokens.peek().isWord("index")) {
      throw tokens.error("there are no secondary indexes");
    }
    if (tokens.accept("keyspace")) {
      return new Statement.DropKeyspace(position, paths.name(KEYSPACE));
    }
    columnFamily();
    return new Statement.DropFamily(position, paths.family());
  }

  private boolean isMore() {
    return !tokens.atEnd() && !tokens.onNewLine();
  }

  private Statement describe() throws SyntaxException {
    if (!isMore()) {
      return described(Described.KEYSPACE, Optional.empty());
    }
    // A family may have one of these names, but then brackets or a point follow, or it is asked
    // for as a family.
    if (tokens.accept("cluster")) {
      return described(Described.CLUSTER, Optional.empty());
    }
    if (tokens.accept("keyspace")) {
      return described(
          Described.KEYSPACE, isMore() ? Optional.of(paths.name(KEYSPACE)) : Optional.empty());
    }
    if (tokens.peek().isWord("column") && tokens.second().isWord("family")) {
      columnFamily();
      return family(paths.family());
    }
    Path path = paths.family();
    return path.keyspace().isPresent()
        ? family(path)
        : described(Described.EITHER, Optional.of(path.family()));
  }

  private Statement described(Described what, Optional<String> name) {
    return new Statement.Describe(position, what, Optional.empty(), name);
  }

  private Statement family(Path path) {
    return new Statement.Describe(
        position, Described.FAMILY, path.keyspace(), Optional.of(path.family()));
  }

  private Statement show() throws SyntaxException {
    if (tokens.peek().isWord("config")) {
      throw tokens.error(
          "a node's configuration is not shown to clients; the schema is: show schema");
    }
    if (tokens.accept("keyspaces")) {
      return new Statement.Show(position, Shown.KEYSPACES, Optional.empty());
    }
    if (tokens.accept("cluster")) {
      tokens.expect("name");
      return new Statement.Show(position, Shown.CLUSTER_NAME, Optional.empty());
    }
    if (tokens.accept("api")) {
      tokens.expect("version");
      return new Statement.Show(position, Shown.API_VERSION, Optional.empty());
    }
    tokens.expect("schema");
    Optional<String> keyspace = isMore() ? Optional.of(paths.name(KEYSPACE)) : Optional.empty();
    return new Statement.Show(position, Shown.SCHEMA, keyspace);
  }

  private Statement assume() throws SyntaxException {
    // A family may be called `keys`; then its name is followed by what is assumed of it.
    boolean ofAll = tokens.second().isWord("as");
    Optional<Path> family = ofAll ? Optional.empty() : Optional.of(paths.family());
    String attribute = tokens.oneOf(Vocabulary.ASSUMED);
    tokens.expect("as");
    return new Statement.Assume(position, family, attribute, paths.run("the name of a type"));
  }
}
