package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.statement.Statement.Aspect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/** Reads one statement by its verb; those about columns and schemas have readers of their own. */
final class StatementParser {

  private static final int MAX_PORT = 65_535;
  private static final String NO_USERS =
      "a user and a password do not stand here; leave them out, and say login NAME";

  private final Tokens tokens;
  private final PathParser paths;

  StatementParser(Tokens tokens) {
    this.tokens = tokens;
    this.paths = new PathParser(tokens);
  }

  /** The next statement; the text after it is left. */
  Statement statement() throws SyntaxException {
    Token first = tokens.peek();
    Position position = first.position();
    String verb = verb();
    if (AccountStatements.begins(verb, tokens)) {
      return new AccountStatements(tokens, position).statement(verb);
    }
    return switch (verb) {
      case "get", "multiget", "list", "keys", "count", "set", "del", "touch", "truncate" ->
          new ColumnStatements(tokens, position).statement(verb);
      case "create", "update", "drop", "describe", "show", "assume" ->
          new SchemaStatements(tokens, position).statement(verb);
      case "search" -> new SearchStatements(tokens, position).statement();
      case "use" -> use(position);
      case "connect" -> connect(position);
      case "consistencylevel" -> {
        tokens.expect("as");
        yield new Statement.SetConsistency(position, tokens.oneOf(Vocabulary.CONSISTENCY_LEVELS));
      }
      case "stats" ->
          isMore()
              ? new Statement.Setting(position, verb, tokens.oneOf(Vocabulary.SWITCH))
              : new Statement.Look(position, Aspect.STATS);
      case "timing", "trace" ->
          new Statement.Setting(position, verb, tokens.oneOf(Vocabulary.SWITCH));
      case "ring" ->
          new Statement.Look(position, tokens.accept("tokens") ? Aspect.RING_TOKENS : Aspect.RING);
      case "info" -> new Statement.Look(position, Aspect.INFO);
      case "stages" -> new Statement.Look(position, Aspect.STAGES);
      case "gossip" -> new Statement.Look(position, Aspect.GOSSIP);
      case "hints" -> new Statement.Look(position, Aspect.HINTS);
      case "endpoints" -> endpoints(position);
      case "drain" -> new Statement.Drain(position);
      case "output" -> new Statement.Setting(position, verb, tokens.oneOf(Vocabulary.OUTPUTS));
      case "flush", "compact" -> maintain(position, verb.equals("compact"));
      case "repair" -> {
        Statement.Maintain named = maintain(position, false);
        yield new Statement.Repair(position, named.keyspace(), named.families());
      }
      case "cleanup" -> {
        Statement.Maintain named = maintain(position, false);
        yield new Statement.Cleanup(position, named.keyspace(), named.families());
      }
      case "scrub" -> {
        Statement.Maintain named = maintain(position, false);
        yield new Statement.Scrub(position, named.keyspace(), named.families());
      }
      case "snapshot" -> new SnapshotStatements(tokens, paths).read(position);
      case "loadbalance" -> new Statement.LoadBalance(position);
      case "decommission" -> new Statement.Decommission(position, tokens.accept("force"));
      case "move" -> new Statement.Move(position, paths.run("a token"));
      case "remove" ->
          new Statement.Remove(position, paths.run("the id of a node"), tokens.accept("force"));
      case "copy" -> copy(position);
      case "capture" -> capture(position);
      case "source" -> new Statement.Source(position, paths.run("the name of a file"));
      case "help", "?" -> help(position);
      case "exit", "quit" -> new Statement.Exit(position);
      case "end" ->
          throw tokens.error(first, "there is no batch to end; a batch begins with batch;");
      default -> throw tokens.error(first, "a batch cannot stand here");
    };
  }

  private String verb() throws SyntaxException {
    Token token = tokens.peek();
    if (tokens.acceptSymbol("?")) {
      return "?";
    }
    String refusal = Vocabulary.REFUSED_VERBS.get(token.lower());
    if (token.kind() == Token.Kind.WORD && refusal != null) {
      throw tokens.error(refusal);
    }
    return tokens.oneOf(Vocabulary.verbs());
  }

  private Statement use(Position position) throws SyntaxException {
    String keyspace = paths.name("the name of a keyspace");
    refuseUser();
    return new Statement.Use(position, keyspace);
  }

  private void refuseUser() throws SyntaxException {
    if (isMore()) {
      throw tokens.error(NO_USERS);
    }
  }

  private Statement connect(Position position) throws SyntaxException {
    Token first = tokens.peek();
    String address = paths.run("host/port");
    int split = Math.max(address.lastIndexOf('/'), address.lastIndexOf(':'));
    String host = address.substring(0, Math.max(split, 0));
    String port = address.substring(split + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MAX_PORT) {
      throw tokens.error(first, "expected host/port, as in: connect localhost/9160");
    }
    refuseUser();
    return new Statement.Connect(position, host, Integer.parseInt(port));
  }

  /** Whether more follows on this line. */
  private boolean isMore() {
    return !tokens.atEnd() && !tokens.onNewLine();
  }

  private Statement endpoints(Position position) throws SyntaxException {
    Token first = tokens.peek();
    Literal key = paths.literal("a key");
    if (!isMore()) {
      return new Statement.Endpoints(position, Optional.empty(), key);
    }
    String keyspace;
    if (key instanceof Literal.Text text && !text.text().isEmpty()) {
      keyspace = text.text();
    } else if (key instanceof Literal.Numeral number
        && number.digits().chars().allMatch(Character::isDigit)) {
      keyspace = number.digits();
    } else {
      throw tokens.error(
          first,
          "expected a key, or the name of a keyspace and a key, as in: endpoints Blog 'arin'");
    }
    return new Statement.Endpoints(position, Optional.of(keyspace), paths.literal("a key"));
  }

  private Statement copy(Position position) throws SyntaxException {
    Path family = paths.family();
    boolean toFile = tokens.oneOf(Vocabulary.COPY_DIRECTIONS).equals("to");
    String file = paths.run("the name of a file");
    return new Statement.Copy(
        position,
        family,
        toFile,
        file,
        new AttributeParser(tokens, paths, Vocabulary.COPY_SETTINGS).attributes());
  }

  private Statement capture(Position position) throws SyntaxException {
    boolean off = tokens.accept("off");
    return new Statement.Capture(position, off ? "" : paths.run("the name of a file"));
  }

  private Statement.Maintain maintain(Position position, boolean compact) throws SyntaxException {
    Optional<String> keyspace = Optional.empty();
    List<String> families = new ArrayList<>();
    while (isMore()) {
      Token first = tokens.peek();
      Path family = paths.family();
      if (!families.isEmpty() && !keyspace.equals(family.keyspace())) {
        throw tokens.error(first, "the families must be of one keyspace");
      }
      keyspace = family.keyspace();
      families.add(family.family());
      tokens.acceptSymbol(",");
    }
    return new Statement.Maintain(position, compact, keyspace, families);
  }

  private Statement help(Position position) throws SyntaxException {
    StringJoiner topic = new StringJoiner(" ");
    while (isMore()) {
      if (tokens.peek().kind() != Token.Kind.WORD) {
        throw tokens.unexpected("a word to explain");
      }
      topic.add(small(tokens.take().text()));
    }
    return new Statement.Help(position, topic.toString());
  }

  /**
   * In small letters, as all words of the manual are; others stay, some of which would become two.
   */
  private static String small(String word) {
    StringBuilder small = new StringBuilder(word);
    for (int i = 0; i < word.length(); i++) {
      char letter = word.charAt(i);
      small.setCharAt(i, letter >= 'A' && letter <= 'Z' ? (char) (letter + 'a' - 'A') : letter);
    }
    return small.toString();
  }
}
