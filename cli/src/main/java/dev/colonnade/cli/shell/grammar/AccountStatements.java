package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.statement.Statement.AccountAspect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads the statements about users, roles and permissions, and writes them as text again. */
final class AccountStatements {

  private static final String USER = "the name of a user";
  private static final String ROLE = "the name of a role";
  private static final String ACCOUNT = "the name of a user or a role";
  private static final String PASSWORD = "password";

  private static final Set<String> VERBS =
      Set.of("login", "logout", "whoami", "alter", "grant", "revoke");
  private static final Set<String> KINDS = Set.of("user", "role");

  private final Tokens tokens;
  private final Position position;
  private final PathParser paths;

  AccountStatements(Tokens tokens, Position position) {
    this.tokens = tokens;
    this.position = position;
    this.paths = new PathParser(tokens);
  }

  /** Whether a statement is about accounts, by its verb and what follows. */
  static boolean begins(String verb, Tokens tokens) throws SyntaxException {
    Token next = tokens.peek();
    boolean word = next.kind() == Token.Kind.WORD;
    return switch (verb) {
      case "create", "drop" -> word && KINDS.contains(next.lower());
      case "show" -> word && Vocabulary.ACCOUNT_ASPECTS.contains(next.lower());
      // A family may have one of these names; only with `of` it cannot be meant.
      case "list" ->
          word && Vocabulary.ACCOUNT_ASPECTS.contains(next.lower()) && tokens.second().isWord("of");
      default -> VERBS.contains(verb);
    };
  }

  Statement statement(String verb) throws SyntaxException {
    return switch (verb) {
      case "login" -> login();
      case "logout" -> new Statement.Logout(position);
      case "whoami" -> new Statement.WhoAmI(position);
      case "create" -> create();
      case "alter" -> alter();
      case "drop" -> drop();
      case "grant" -> grant(true, "to");
      case "revoke" -> grant(false, "from");
      default -> show();
    };
  }

  private Statement login() throws SyntaxException {
    String user = paths.run(USER);
    if (!tokens.atEnd() && !tokens.onNewLine()) {
      throw tokens.error("a password does not stand here: it is asked for, and not shown");
    }
    return new Statement.Login(position, user);
  }

  private Statement create() throws SyntaxException {
    if (tokens.accept("role")) {
      return new Statement.CreateRole(position, paths.run(ROLE));
    }
    tokens.expect("user");
    String user = paths.run(USER);
    return new Statement.DefineUser(position, true, user, true, attributes());
  }

  private Statement alter() throws SyntaxException {
    if (!tokens.peek().isWord("user")) {
      throw tokens.error(
          "alter user changes a user; keyspaces and column families are changed by update");
    }
    tokens.take();
    String user = paths.run(USER);
    boolean newPassword = tokens.accept(PASSWORD);
    if (!newPassword && !tokens.peek().isWord("with")) {
      throw tokens.unexpected("with");
    }
    return new Statement.DefineUser(position, false, user, newPassword, attributes());
  }

  private List<Attribute> attributes() throws SyntaxException {
    Token first = tokens.peek();
    List<Attribute> attributes =
        new AttributeParser(tokens, paths, Vocabulary.USER_SETTINGS).attributes();
    for (Attribute attribute : attributes) {
      if (attribute.name().equals(PASSWORD) && !attribute.value().equalsIgnoreCase("none")) {
        throw tokens.error(
            first,
            "a password does not stand in a statement, which histories would keep: leave it out to"
                + " be asked for it, or name a file: password_file = 'FILE'");
      }
    }
    return attributes;
  }

  private Statement drop() throws SyntaxException {
    boolean user = !tokens.accept("role");
    if (user) {
      tokens.expect("user");
    }
    return new Statement.DropAccount(position, user, paths.run(user ? USER : ROLE));
  }

  private Statement grant(boolean grant, String word) throws SyntaxException {
    if (tokens.accept("role")) {
      String role = paths.run(ROLE);
      tokens.expect(word);
      return new Statement.GrantRole(position, grant, role, paths.run(ACCOUNT));
    }
    List<String> permissions = new ArrayList<>();
    do {
      permissions.add(tokens.oneOf(Vocabulary.PERMISSIONS));
    } while (tokens.acceptSymbol(","));
    tokens.expect("on");
    if (tokens.accept("cluster")) {
      return granted(grant, permissions, true, Optional.empty(), Optional.empty(), word);
    }
    if (tokens.accept("keyspace")) {
      Optional<String> keyspace = Optional.of(paths.name("the name of a keyspace"));
      return granted(grant, permissions, false, keyspace, Optional.empty(), word);
    }
    boolean named = tokens.peek().isWord("column") && tokens.second().isWord("family");
    if (named) {
      tokens.take();
      tokens.take();
    }
    Path path = paths.family();
    boolean family = named || path.keyspace().isPresent();
    return granted(
        grant,
        permissions,
        false,
        family ? path.keyspace() : Optional.of(path.family()),
        family ? Optional.of(path.family()) : Optional.empty(),
        word);
  }

  private Statement granted(
      boolean grant,
      List<String> permissions,
      boolean cluster,
      Optional<String> keyspace,
      Optional<String> family,
      String word)
      throws SyntaxException {
    tokens.expect(word);
    return new Statement.GrantPermissions(
        position, grant, permissions, cluster, keyspace, family, paths.run(ACCOUNT));
  }

  private Statement show() throws SyntaxException {
    String aspect = tokens.oneOf(Vocabulary.ACCOUNT_ASPECTS);
    Optional<String> of = tokens.accept("of") ? Optional.of(paths.run(ACCOUNT)) : Optional.empty();
    return new Statement.ShowAccounts(
        position, AccountAspect.valueOf(aspect.toUpperCase(Locale.ROOT)), of);
  }

  /** The text of a statement about accounts, without its {@code ;}; empty for any other. */
  static Optional<String> print(Statement statement) {
    if (statement instanceof Statement.Login login) {
      return Optional.of("login " + Names.name(login.user()));
    } else if (statement instanceof Statement.Logout) {
      return Optional.of("logout");
    } else if (statement instanceof Statement.WhoAmI) {
      return Optional.of("whoami");
    } else if (statement instanceof Statement.DefineUser user) {
      return Optional.of(
          (user.create() ? "create user " : "alter user ")
              + Names.name(user.user())
              + (!user.create() && user.newPassword() ? " password" : "")
              + Statements.attributes(user.attributes()));
    } else if (statement instanceof Statement.CreateRole role) {
      return Optional.of("create role " + Names.name(role.role()));
    } else if (statement instanceof Statement.DropAccount drop) {
      return Optional.of("drop " + (drop.user() ? "user " : "role ") + Names.name(drop.account()));
    } else if (statement instanceof Statement.GrantPermissions grant) {
      return Optional.of(
          (grant.grant() ? "grant " : "revoke ")
              + String.join(", ", grant.permissions())
              + " on "
              + on(grant)
              + toward(grant.grant(), grant.account()));
    } else if (statement instanceof Statement.GrantRole grant) {
      return Optional.of(
          (grant.grant() ? "grant role " : "revoke role ")
              + Names.name(grant.role())
              + toward(grant.grant(), grant.account()));
    } else if (statement instanceof Statement.ShowAccounts show) {
      return Optional.of(
          "show "
              + show.aspect().name().toLowerCase(Locale.ROOT)
              + show.of().map(name -> " of " + Names.name(name)).orElse(""));
    }
    return Optional.empty();
  }

  private static String on(Statement.GrantPermissions grant) {
    if (grant.cluster()) {
      return "cluster";
    }
    String keyspace = grant.keyspace().map(Names::name).orElse("");
    return grant
        .family()
        .map(
            family ->
                "column family " + (keyspace.isEmpty() ? "" : keyspace + ".") + Names.name(family))
        .orElse("keyspace " + keyspace);
  }

  private static String toward(boolean grant, String account) {
    return (grant ? " to " : " from ") + Names.name(account);
  }
}
