package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.ShownRow;
import dev.colonnade.cli.shell.output.ShownRows;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Column;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Row;
import dev.colonnade.client.Slice;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The statements that look: get, multiget, count, list and keys. */
final class ReadStatements {

  /** Of columns of a row, and of rows, where the statement has none. */
  static final int DEFAULT_LIMIT = 100;

  private final Session session;
  private final Families families;

  ReadStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  Outcome get(Statement.Get get, Calls calls) throws StatementFailure {
    Family family = families.of(get.path());
    if (get.as().isPresent()) {
      family = family.withValues(families.named(get.as().get()));
    }
    byte[] key = family.key(rowOf(get.path()));
    Keyspace keyspace = keyspace(family, calls);
    List<Literal> names = get.path().names();
    if (names.size() == (family.isSuper() ? 2 : 1)) {
      requireNoSlice(get.slice());
      return column(family, keyspace, key, names);
    }
    return entries(level(family, keyspace, names), key, get.slice());
  }

  private Outcome column(Family family, Keyspace keyspace, byte[] key, List<Literal> names)
      throws StatementFailure {
    Columns<byte[], byte[], byte[]> columns =
        family.isSuper()
            ? Level.superFamily(family, keyspace).within(family.entryName(names.get(0)))
            : Level.standard(family, keyspace);
    byte[] name = family.columnName(names.get(names.size() - 1));
    Optional<Column<byte[], byte[]>> found = columns.find(key, name);
    if (found.isEmpty()) {
      session.output().notFound();
      return Outcome.NOT_FOUND;
    }
    session
        .output()
        .column(
            family.isSuper() ? family.within(family.entryName(names.get(0))) : family.place(),
            family.show(key),
            family.shown(found.get()));
    return Outcome.DONE;
  }

  private <C> Outcome entries(Level<C> level, byte[] key, SliceClause clause)
      throws StatementFailure {
    int limit = clause.limit().orElse(DEFAULT_LIMIT);
    Slice<byte[]> slice = level.slice(clause).limit(Limited.request(limit));
    Output output = session.output();
    try (Cursor<C> found = level.entries().stream(key, slice)) {
      Limited<C> limited = new Limited<>(found, limit);
      boolean any = found.hasNext();
      ShownRow row = level.shown(key, limited, Integer.MAX_VALUE);
      output.row(
          level.place(), new ShownRow(row.key(), row.superFamily(), row.entries(), limited::more));
      if (clause.limit().isEmpty() && limited.more()) {
        output.note("Using default limit of " + DEFAULT_LIMIT + "; there are more: say limit n.");
      }
      return any ? Outcome.DONE : Outcome.NOT_FOUND;
    }
  }

  Outcome multiget(Statement.Multiget multiget, Calls calls) throws StatementFailure {
    Family family = families.of(multiget.family());
    Keyspace keyspace = keyspace(family, calls);
    rows(
        level(family, keyspace, multiget.family().names()),
        family.keyList(multiget.keys()),
        multiget.slice());
    return Outcome.DONE;
  }

  private <C> void rows(Level<C> level, List<byte[]> keys, SliceClause clause)
      throws StatementFailure {
    int limit = clause.limit().orElse(DEFAULT_LIMIT);
    Slice<byte[]> slice = level.slice(clause).limit(Limited.request(limit));
    Iterator<Row<byte[], C>> rows = level.entries().multiget(keys, slice).iterator();
    show(level, rows, Integer.MAX_VALUE, limit);
  }

  Outcome count(Statement.Count count, Calls calls) throws StatementFailure {
    Family family = families.of(count.path());
    byte[] key = family.key(rowOf(count.path()));
    Level<?> level = level(family, keyspace(family, calls), count.path().names());
    Slice<byte[]> slice = level.slice(count.slice());
    OptionalInt limit = count.slice().limit();
    long found =
        level.entries().count(key, limit.isPresent() ? slice.limit(limit.getAsInt()) : slice);
    session.output().count(level.place(), family.show(key), found);
    return Outcome.DONE;
  }

  Outcome list(Statement.ListRows list, Calls calls) throws StatementFailure {
    Family family = families.of(list.family());
    KeyRange<byte[]> range = KeyRange.all();
    if (list.from().isPresent()) {
      range = KeyRange.from(family.key(list.from().get()));
    }
    if (list.to().isPresent()) {
      range = range.to(family.key(list.to().get()));
    }
    list(level(family, keyspace(family, calls), list.family().names()), list, range);
    return Outcome.DONE;
  }

  private <C> void list(Level<C> level, Statement.ListRows list, KeyRange<byte[]> all)
      throws StatementFailure {
    int limit = list.limit().orElse(DEFAULT_LIMIT);
    KeyRange<byte[]> range = all.limit(Limited.request(limit));
    if (list.limit().isEmpty()) {
      session.output().note("Using default limit of " + DEFAULT_LIMIT);
    }
    if (list.keysOnly()) {
      try (Cursor<byte[]> keys = level.entries().keys(range)) {
        Limited<byte[]> limited = new Limited<>(keys, limit);
        session
            .output()
            .keys(level.place(), new Mapped<>(limited, level.family()::show), limited::more);
      }
      return;
    }
    int columns = list.columns().limit().orElse(DEFAULT_LIMIT);
    if (list.columns().limit().isEmpty()) {
      session.output().note("Using default column limit of " + DEFAULT_LIMIT);
    }
    Slice<byte[]> slice = level.slice(list.columns()).limit(Limited.request(columns));
    try (Cursor<Row<byte[], C>> rows = level.entries().range(range, slice)) {
      show(level, rows, limit, columns);
    }
  }

  private <C> void show(Level<C> level, Iterator<Row<byte[], C>> rows, int limit, int columns) {
    Limited<Row<byte[], C>> limited = new Limited<>(rows, limit);
    session
        .output()
        .rows(
            level.place(),
            new ShownRows(new Mapped<>(limited, row -> level.shown(row, columns)), limited::more));
  }

  private Keyspace keyspace(Family family, Calls calls) throws StatementFailure {
    return session.client().keyspace(family.keyspace()).with(calls.reads());
  }

  /** The entries under a row, or within the one super column that is named. */
  static Level<?> level(Family family, Keyspace keyspace, List<Literal> names)
      throws StatementFailure {
    if (names.isEmpty()) {
      return Level.top(family, keyspace);
    }
    if (family.isSuper() && names.size() == 1) {
      return Level.within(family, family.entryName(names.get(0)), keyspace);
    }
    throw tooManyNames(family);
  }

  static StatementFailure tooManyNames(Family family) {
    return StatementFailure.refused(
        family.isSuper()
            ? family.name()
                + " is a Super family: at most a super column and a column can follow the key"
            : family.name() + " is a Standard family: it has no super columns");
  }

  static Literal rowOf(Path path) throws StatementFailure {
    return path.key()
        .orElseThrow(
            () ->
                StatementFailure.refused(
                    "this statement needs a row: write " + path.family() + "['key']"));
  }

  static void requireNoSlice(SliceClause slice) throws StatementFailure {
    if (!slice.isNone()) {
      throw StatementFailure.refused(
          "one column has no slice: leave out its name, or what follows the brackets");
    }
  }
}
