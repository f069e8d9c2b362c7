package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts;
import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Account;
import dev.colonnade.client.Accounts;
import dev.colonnade.client.Caller;
import dev.colonnade.client.Grant;
import dev.colonnade.client.Permission;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The statements about users, roles and permissions. Passwords are asked for, or read from files:
 * they stand in no statement and in no answer.
 */
final class AccountStatements {

  private final Session session;
  private final Families families;

  AccountStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  /** Whether the statement was one of them. */
  boolean run(Statement statement) throws StatementFailure {
    if (statement instanceof Statement.Login login) {
      logIn(login.user());
    } else if (statement instanceof Statement.Logout) {
      session.logOut();
      session.output().done("Logged out.");
    } else if (statement instanceof Statement.WhoAmI) {
      whoAmI();
    } else if (statement instanceof Statement.DefineUser user) {
      define(user);
    } else if (statement instanceof Statement.CreateRole role) {
      done("Role " + role.role() + " created.", accounts().createRole(role.role()));
    } else if (statement instanceof Statement.DropAccount drop) {
      drop(drop);
    } else if (statement instanceof Statement.GrantPermissions grant) {
      grant(grant);
    } else if (statement instanceof Statement.GrantRole grant) {
      grantRole(grant);
    } else if (statement instanceof Statement.ShowAccounts show) {
      show(show);
    } else {
      return false;
    }
    return true;
  }

  /** Whether {@code list users} and the like mean accounts, since no family has that name. */
  static Optional<Statement.ShowAccounts> meant(Statement.ListRows list, Session session) {
    boolean bare =
        list.family().keyspace().isEmpty()
            && list.family().names().isEmpty()
            && list.from().isEmpty()
            && list.to().isEmpty()
            && list.limit().isEmpty()
            && !list.keysOnly();
    String name = list.family().family();
    Optional<Statement.AccountAspect> aspect =
        Arrays.stream(Statement.AccountAspect.values())
            .filter(each -> each.name().equalsIgnoreCase(name))
            .findFirst();
    if (!bare || aspect.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> keyspace = session.keyspaceInUse();
    return keyspace.isPresent() && session.schema().family(keyspace.get(), name).isPresent()
        ? Optional.empty()
        : Optional.of(new Statement.ShowAccounts(list.position(), aspect.get(), Optional.empty()));
  }

  private Accounts accounts() {
    return session.client().accounts();
  }

  private void logIn(String user) throws StatementFailure {
    String password = asked("Password for " + user);
    Caller caller = session.logIn(user, password);
    session
        .output()
        .done(
            caller.authenticationOn()
                ? "Logged in as " + user + "."
                : "Authentication is off on this node; other nodes may know you as " + user + ".");
  }

  private static String nobody(boolean authenticationOn) {
    return authenticationOn
        ? "Nobody: the node no longer knows the account of this call; log in again by login NAME."
        : "Nobody: the node does not ask who calls, and everyone may do everything. To have it ask,"
            + " start it with --authentication password and --admin-password-file FILE.";
  }

  private void whoAmI() {
    Caller caller = accounts().caller();
    Optional<Account> known = caller.account();
    if (known.isEmpty()) {
      session
          .output()
          .facts(
              new Facts(
                  "caller",
                  "",
                  nobody(caller.authenticationOn()),
                  List.of(
                      new Fact("authentication", "Authentication", on(caller.authenticationOn()))),
                  List.of()));
      return;
    }
    Account account = known.get();
    session
        .output()
        .facts(
            new Facts(
                "caller",
                account.name(),
                "User: " + account.name(),
                List.of(
                    new Fact("authentication", "Authentication", on(true)),
                    new Fact("superuser", "Superuser", Boolean.toString(account.superuser())),
                    new Fact("roles", "Roles", joined(account.roles())),
                    new Fact(
                        "permissions",
                        "Permissions of its own",
                        joined(AccountListings.permissions(account)))),
                List.of()));
  }

  private static String joined(List<String> names) {
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static String on(boolean on) {
    return on ? "on" : "off";
  }

  private void define(Statement.DefineUser user) throws StatementFailure {
    Optional<Boolean> superuser = flag(user, "superuser");
    Optional<Boolean> locked = flag(user, "locked");
    boolean none = attribute(user, "password").isPresent();
    Optional<String> file = attribute(user, "password_file").map(Attribute::value);
    if (none && (file.isPresent() || !user.create())) {
      throw StatementFailure.refused(
          file.isPresent()
              ? "a user has either a password_file or password = none"
              : "a password cannot be taken away; locked = true keeps the user out");
    }
    Set<String> missing = new TreeSet<>();
    if (user.create()) {
      missing.addAll(
          none
              ? accounts().createUserWithoutPassword(user.user())
              : accounts().createUser(user.user(), newPassword(user.user(), file)));
    } else if (user.newPassword() || file.isPresent()) {
      missing.addAll(changePassword(user.user(), file));
    }
    if (superuser.isPresent()) {
      missing.addAll(accounts().setSuperuser(user.user(), superuser.get()));
    }
    if (locked.isPresent()) {
      missing.addAll(accounts().setLocked(user.user(), locked.get()));
    }
    done("User " + user.user() + (user.create() ? " created." : " altered."), missing);
  }

  /** A user changes its own password by knowing it; others need a permission instead. */
  private List<String> changePassword(String user, Optional<String> file) throws StatementFailure {
    boolean own =
        accounts().caller().account().filter(each -> each.name().equals(user)).isPresent();
    if (!own || session.user().filter(user::equals).isEmpty()) {
      return accounts().setPassword(user, newPassword(user, file));
    }
    String current = asked("Present password for " + user);
    String password = newPassword(user, file);
    List<String> missing = accounts().changePassword(current, password);
    session.usePassword(user, password);
    return missing;
  }

  private static Optional<Attribute> attribute(Statement.DefineUser user, String name) {
    return user.attributes().stream().filter(each -> each.name().equals(name)).findFirst();
  }

  private static Optional<Boolean> flag(Statement.DefineUser user, String name)
      throws StatementFailure {
    Optional<Attribute> attribute = attribute(user, name);
    return attribute.isPresent()
        ? Optional.of(AttributeValues.truth(attribute.get()))
        : Optional.empty();
  }

  private String newPassword(String user, Optional<String> file) throws StatementFailure {
    if (file.isPresent()) {
      try {
        return PasswordFile.read(Path.of(file.get()));
      } catch (IOException | InvalidPathException e) {
        throw StatementFailure.of(
            ExitStatus.STATEMENT_FAILED,
            "FILE_FAILED",
            "the password cannot be read: " + e.getMessage(),
            e);
      }
    }
    String password = asked("New password for " + user);
    if (!password.equals(asked("The same again"))) {
      throw StatementFailure.refused("the two passwords differ; nothing is changed");
    }
    return password;
  }

  private String asked(String prompt) throws StatementFailure {
    String password =
        session
            .prompt()
            .ask(prompt)
            .orElseThrow(
                () ->
                    StatementFailure.refused(
                        "a password is asked for at a terminal, and there is none: for the session"
                            + " give --user and --password-file, for a new user with password_file"
                            + " = 'FILE'"));
    if (password.isEmpty()) {
      throw StatementFailure.refused("no password was typed; nothing is changed");
    }
    return password;
  }

  private void drop(Statement.DropAccount drop) throws StatementFailure {
    Optional<Account> account = accounts().find(drop.account());
    if (account.isPresent() && account.get().user() != drop.user()) {
      throw StatementFailure.refused(
          drop.account()
              + (drop.user() ? " is a role: drop role " : " is a user: drop user ")
              + drop.account());
    }
    done(
        (drop.user() ? "User " : "Role ") + drop.account() + " dropped.",
        accounts().drop(drop.account()));
  }

  private void grant(Statement.GrantPermissions statement) throws StatementFailure {
    String keyspace =
        statement.cluster()
            ? ""
            : statement.keyspace().isPresent()
                ? statement.keyspace().get()
                : families.keyspace(Optional.empty());
    String family = statement.family().orElse("");
    Set<Permission> permissions = new LinkedHashSet<>();
    for (String name : statement.permissions()) {
      permissions.addAll(named(name, statement.cluster()));
    }
    Set<String> missing = new TreeSet<>();
    for (Permission permission : permissions) {
      Grant grant = new Grant(permission, keyspace, family);
      missing.addAll(
          statement.grant()
              ? accounts().grant(statement.account(), grant)
              : accounts().revoke(statement.account(), grant));
    }
    done(
        (statement.grant() ? "Granted " : "Revoked ")
            + String.join(", ", permissions.stream().map(Permission::name).toList())
            + " on "
            + AccountListings.resource(keyspace, family)
            + (statement.grant() ? " to " : " from ")
            + statement.account()
            + ".",
        missing);
  }

  private static List<Permission> named(String name, boolean cluster) {
    return name.equals("ALL")
        ? Stream.of(Permission.values())
            .filter(each -> each != Permission.UNKNOWN && (cluster || each.isOfData()))
            .toList()
        : List.of(Permission.valueOf(name));
  }

  private void grantRole(Statement.GrantRole grant) {
    String role = grant.role();
    String account = grant.account();
    done(
        account + (grant.grant() ? " is a member of " : " is no member of ") + role + ".",
        grant.grant() ? accounts().grantRole(account, role) : accounts().revokeRole(account, role));
  }

  void show(Statement.ShowAccounts show) throws StatementFailure {
    List<Account> all = accounts().list();
    Optional<String> of = show.of();
    if (of.isPresent() && all.stream().noneMatch(each -> each.name().equals(of.get()))) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "ACCOUNT_NOT_FOUND",
          "there is no user or role " + of.get() + ". Case matters in names",
          null);
    }
    AccountListings listings = new AccountListings(all);
    session
        .output()
        .listing(
            switch (show.aspect()) {
              case USERS -> listings.users(of);
              case ROLES -> listings.roles(of);
              case PERMISSIONS -> listings.permissions(of);
            });
  }

  private void done(String message, Iterable<String> missing) {
    session.output().done(message);
    String ids = String.join(", ", missing);
    if (!ids.isEmpty()) {
      session.output().note("Nodes that did not take it in time, and learn of it later: " + ids);
    }
  }
}
