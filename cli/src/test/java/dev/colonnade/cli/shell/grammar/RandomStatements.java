package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.statement.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/** Makes statements of all kinds, with awkward names and texts. All stand at one place. */
final class RandomStatements {

  static final Position HERE = new Position(1, 1);

  private static final List<String> WORDS =
      List.of("a", "Users", "from", "limit", "get", "with", "batch", "end", "as", "x-y", "0a", "é");

  private static final List<String> TEXTS =
      List.of(
          "",
          "a b",
          "it's",
          "\"",
          "\\",
          "a;b",
          "--",
          "/*",
          "\n",
          "\t\u0000",
          "\uD83D\uDE00",
          "\uD800",
          "0x0a",
          "-5",
          "cluster",
          "keyspace",
          "column",
          "?",
          "where",
          "K.A");

  private final Random random;

  RandomStatements(Random random) {
    this.random = random;
  }

  private Statement search() {
    Path row = row(0);
    Path user = new Path(row.position(), row.keyspace(), row.family(), row.key(), List.of());
    Path document =
        new Path(row.position(), row.keyspace(), row.family(), row.key(), List.of(literal()));
    OptionalInt limit = random.nextBoolean() ? OptionalInt.of(number(1_000)) : OptionalInt.empty();
    return switch (random.nextInt(4)) {
      case 0 ->
          new Statement.IndexDocument(
              HERE,
              document,
              some(this::text),
              random.nextBoolean() ? List.of() : some(this::text),
              random.nextBoolean() ? "" : text());
      case 1 -> new Statement.DeleteDocument(HERE, document);
      case 2 ->
          new Statement.SearchTerms(
              HERE,
              user,
              "a text",
              random.nextBoolean() ? "" : text(),
              random.nextBoolean() ? "" : text(),
              random.nextBoolean() ? "" : text(),
              random.nextBoolean() ? List.of() : some(this::text),
              random.nextBoolean(),
              limit);
      default -> new Statement.SearchWith(HERE, user, text(), limit);
    };
  }

  private Statement account() {
    boolean either = random.nextBoolean();
    return switch (random.nextInt(8)) {
      case 0 -> new Statement.Login(HERE, name());
      case 1 -> pick(List.of(new Statement.Logout(HERE), new Statement.WhoAmI(HERE)));
      case 2 -> new Statement.DefineUser(HERE, true, name(), true, userAttributes());
      case 3 -> {
        List<Attribute> attributes = userAttributes();
        yield new Statement.DefineUser(
            HERE, false, name(), either || attributes.isEmpty(), attributes);
      }
      case 4 -> new Statement.CreateRole(HERE, name());
      case 5 -> new Statement.DropAccount(HERE, either, name());
      case 6 ->
          either
              ? new Statement.GrantRole(HERE, random.nextBoolean(), name(), name())
              : grant(random.nextInt(3));
      default ->
          new Statement.ShowAccounts(
              HERE, pick(List.of(Statement.AccountAspect.values())), maybe(this::name));
    };
  }

  private Statement grant(int on) {
    return new Statement.GrantPermissions(
        HERE,
        random.nextBoolean(),
        many(() -> pick(Vocabulary.PERMISSIONS)),
        on == 0,
        on == 0 ? Optional.empty() : on == 1 ? Optional.of(name()) : maybe(this::name),
        on == 2 ? Optional.of(name()) : Optional.empty(),
        name());
  }

  private List<Attribute> userAttributes() {
    List<Attribute> attributes = new ArrayList<>();
    for (Vocabulary.Setting setting : Vocabulary.USER_SETTINGS) {
      if (random.nextInt(3) == 0) {
        String value = setting.values().isEmpty() ? text() : pick(setting.values());
        attributes.add(new Attribute(HERE, setting.name(), value, Map.of()));
      }
    }
    return attributes;
  }

  private List<String> some(Supplier<String> of) {
    return random.nextBoolean() ? List.of(of.get()) : List.of(of.get(), of.get());
  }

  Statement next() {
    return switch (random.nextInt(37)) {
      case 0 -> new Statement.Use(HERE, name());
      case 1 -> new Statement.Connect(HERE, pick(List.of("h", "10.0.0.1", "::1")), number(65535));
      case 2 -> new Statement.Get(HERE, row(0), slice(), maybe(this::type));
      case 3 -> new Statement.Multiget(HERE, family(2), many(this::literal), slice());
      case 4, 5 -> change();
      case 6 -> new Statement.Count(HERE, row(0), slice());
      case 7 -> list();
      case 8 -> new Statement.Touch(HERE, family(0), many(this::literal));
      case 9 -> new Statement.Truncate(HERE, family(0));
      case 10 -> new Statement.Batch(HERE, many(this::change));
      case 11 ->
          new Statement.Assume(HERE, maybe(() -> family(0)), pick(Vocabulary.ASSUMED), type());
      case 12 -> new Statement.SetConsistency(HERE, pick(Vocabulary.CONSISTENCY_LEVELS));
      case 13 ->
          new Statement.DefineKeyspace(
              HERE, random.nextBoolean(), name(), attributes(Vocabulary.KEYSPACE_SETTINGS));
      case 14 ->
          new Statement.DefineFamily(
              HERE, random.nextBoolean(), family(0), attributes(Vocabulary.FAMILY_SETTINGS));
      case 15 -> new Statement.DropKeyspace(HERE, name());
      case 16 -> new Statement.DropFamily(HERE, family(0));
      case 17 -> describe();
      case 18 -> show();
      case 19 ->
          random.nextBoolean()
              ? new Statement.Setting(HERE, "output", pick(Vocabulary.OUTPUTS))
              : new Statement.Setting(HERE, pick(List.of("stats", "timing", "trace")), "off");
      case 20 -> maintain();
      case 21 -> new Statement.Look(HERE, pick(List.of(Statement.Aspect.values())));
      case 22 -> new Statement.Endpoints(HERE, maybe(this::name), literal());
      case 23 -> new Statement.Drain(HERE);
      case 24 -> repair();
      case 25 -> new Statement.Decommission(HERE, random.nextBoolean());
      case 26 -> new Statement.Move(HERE, text());
      case 27 -> new Statement.Remove(HERE, text(), random.nextBoolean());
      case 28 -> new Statement.LoadBalance(HERE);
      case 29 -> cleanup();
      case 30, 31 -> search();
      case 32, 33 -> account();
      case 34 -> snapshot();
      case 35 -> scrub();
      default ->
          pick(
              List.of(
                  new Statement.Source(HERE, text()),
                  new Statement.Capture(HERE, random.nextBoolean() ? "" : text()),
                  new Statement.Copy(
                      HERE,
                      family(0),
                      random.nextBoolean(),
                      text(),
                      attributes(Vocabulary.COPY_SETTINGS)),
                  new Statement.Help(HERE, pick(List.of("", "get", "create keyspace"))),
                  new Statement.Exit(HERE)));
    };
  }

  private Statement.Change change() {
    return random.nextBoolean()
        ? new Statement.Put(HERE, row(1), literal(), number(), timestamp())
        : new Statement.Delete(HERE, row(0), range(), timestamp());
  }

  private Statement list() {
    boolean keysOnly = random.nextBoolean();
    return new Statement.ListRows(
        HERE,
        family(keysOnly ? 0 : 2),
        maybe(this::literal),
        maybe(this::literal),
        number(),
        keysOnly,
        keysOnly ? SliceClause.NONE : slice());
  }

  private Statement describe() {
    Statement.Described what = pick(List.of(Statement.Described.values()));
    return switch (what) {
      case CLUSTER -> new Statement.Describe(HERE, what, Optional.empty(), Optional.empty());
      case KEYSPACE -> new Statement.Describe(HERE, what, Optional.empty(), maybe(this::name));
      case FAMILY -> new Statement.Describe(HERE, what, maybe(this::name), Optional.of(name()));
      case EITHER -> new Statement.Describe(HERE, what, Optional.empty(), Optional.of(name()));
    };
  }

  private Statement show() {
    Statement.Shown what = pick(List.of(Statement.Shown.values()));
    Optional<String> keyspace =
        what == Statement.Shown.SCHEMA ? maybe(this::name) : Optional.empty();
    return new Statement.Show(HERE, what, keyspace);
  }

  private Statement cleanup() {
    Statement.Repair named = (Statement.Repair) repair();
    return new Statement.Cleanup(HERE, named.keyspace(), named.families());
  }

  private Statement scrub() {
    Statement.Repair named = (Statement.Repair) repair();
    return new Statement.Scrub(HERE, named.keyspace(), named.families());
  }

  private Statement snapshot() {
    Statement.SnapshotAction action = pick(List.of(Statement.SnapshotAction.values()));
    String name = action == Statement.SnapshotAction.LIST ? "" : name();
    List<String> keyspaces =
        action == Statement.SnapshotAction.TAKE && random.nextBoolean()
            ? many(this::name)
            : List.of();
    List<String> families =
        keyspaces.size() == 1 && random.nextBoolean() ? many(this::name) : List.of();
    return new Statement.Snapshot(HERE, action, name, keyspaces, families, random.nextBoolean());
  }

  private Statement repair() {
    List<String> families = random.nextInt(3) == 0 ? List.of() : many(this::name);
    Optional<String> keyspace = families.isEmpty() ? Optional.empty() : maybe(this::name);
    return new Statement.Repair(HERE, keyspace, families);
  }

  private Statement maintain() {
    List<String> families = random.nextInt(3) == 0 ? List.of() : many(this::name);
    Optional<String> keyspace = families.isEmpty() ? Optional.empty() : maybe(this::name);
    return new Statement.Maintain(HERE, random.nextBoolean(), keyspace, families);
  }

  private Path family(int maxNames) {
    List<Literal> names = new ArrayList<>();
    for (int i = random.nextInt(maxNames + 1); i > 0; i--) {
      names.add(literal());
    }
    return new Path(HERE, maybe(this::name), name(), Optional.empty(), names);
  }

  private Path row(int minNames) {
    Path path = family(2);
    List<Literal> names = new ArrayList<>(path.names());
    while (names.size() < minNames) {
      names.add(literal());
    }
    return new Path(HERE, path.keyspace(), path.family(), Optional.of(literal()), names);
  }

  private SliceClause range() {
    Optional<Literal> from = maybe(this::literal);
    Optional<Literal> to = maybe(this::literal);
    return new SliceClause(
        from,
        from.isPresent() && random.nextBoolean(),
        to,
        to.isPresent() && random.nextBoolean(),
        Optional.empty(),
        false,
        OptionalInt.empty());
  }

  private SliceClause slice() {
    SliceClause range = range();
    return new SliceClause(
        range.from(),
        range.fromExclusive(),
        range.to(),
        range.toExclusive(),
        maybe(this::literal),
        random.nextBoolean(),
        number());
  }

  private Literal literal() {
    return random.nextInt(4) == 0
        ? new Literal.Typed(HERE, pick(Vocabulary.TYPES), maybe(this::plainLiteral))
        : plainLiteral();
  }

  private Literal plainLiteral() {
    return switch (random.nextInt(4)) {
      case 0 -> new Literal.Text(HERE, text(), true);
      case 1 -> new Literal.Text(HERE, pick(WORDS), false);
      case 2 -> new Literal.Numeral(HERE, pick(List.of("0", "-7", "1.5", "1e-5", "007")));
      default -> new Literal.Hex(HERE, pick(List.of("", "0a", "CAFE")));
    };
  }

  private List<Attribute> attributes(List<Vocabulary.Setting> settings) {
    List<Attribute> attributes = new ArrayList<>();
    for (Vocabulary.Setting setting : settings) {
      if (random.nextInt(4) == 0) {
        Map<String, String> options = new LinkedHashMap<>();
        if (random.nextInt(3) == 0) {
          many(this::name).forEach(name -> options.put(name, type()));
        }
        String value = options.isEmpty() ? type() : Statements.options(options);
        attributes.add(new Attribute(HERE, setting.name(), value, options));
      }
    }
    return attributes;
  }

  private String name() {
    String text = text();
    return text.isEmpty() ? "A" : text;
  }

  private String text() {
    return random.nextBoolean() ? pick(WORDS) : pick(TEXTS) + pick(TEXTS);
  }

  private String type() {
    return pick(List.of("utf8", "UTF8Type", "org.acme.Mine", "10%", "A(B, C)", "[", "it's"));
  }

  private OptionalInt number() {
    return random.nextBoolean() ? OptionalInt.of(number(Integer.MAX_VALUE)) : OptionalInt.empty();
  }

  private int number(int max) {
    return random.nextInt(max);
  }

  private OptionalLong timestamp() {
    return random.nextBoolean()
        ? OptionalLong.of(random.nextLong() & Long.MAX_VALUE)
        : OptionalLong.empty();
  }

  private <T> Optional<T> maybe(Supplier<T> supplier) {
    return random.nextBoolean() ? Optional.of(supplier.get()) : Optional.empty();
  }

  private <T> List<T> many(Supplier<? extends T> supplier) {
    List<T> many = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      many.add(supplier.get());
    }
    return many;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
