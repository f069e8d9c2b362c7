package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.Batch;
import dev.colonnade.client.Column;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Entries;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Slice;
import java.time.Duration;
import java.util.List;

/** The statements that change columns: set, del, batch, touch and truncate. */
final class WriteStatements {

  private final Session session;
  private final Families families;

  WriteStatements(Session session, Families families) {
    this.session = session;
    this.families = families;
  }

  void put(Statement.Put put, Calls calls) throws StatementFailure {
    Family family = families.of(put.path());
    Keyspace keyspace = session.client().keyspace(family.keyspace()).with(calls.writes());
    Columns<byte[], byte[], byte[]> into = columns(family, keyspace, put);
    into.insert(family.key(ReadStatements.rowOf(put.path())), column(family, put));
    session.output().done("Value inserted.");
  }

  void delete(Statement.Delete delete, Calls calls) throws StatementFailure {
    Family family = families.of(delete.path());
    Keyspace keyspace =
        session.client().keyspace(family.keyspace()).with(calls.writes(delete.timestamp()));
    byte[] key = family.key(ReadStatements.rowOf(delete.path()));
    removal(family, keyspace, delete)
        .from(
            new Remover() {
              @Override
              public <C> void remove(Entries<byte[], byte[], C> entries) {
                entries.remove(key);
              }

              @Override
              public <C> void remove(Entries<byte[], byte[], C> entries, Slice<byte[]> slice) {
                entries.removeRange(key, slice);
              }
            });
    boolean wholeRow = delete.path().names().isEmpty() && delete.slice().isNone();
    session.output().done(wholeRow ? "row removed." : "column removed.");
  }

  void batch(Statement.Batch statement, Calls calls) throws StatementFailure {
    if (statement.changes().isEmpty()) {
      session.output().done("Nothing to apply.");
      return;
    }
    Keyspace keyspace = null;
    Batch batch = null;
    for (Statement.Change change : statement.changes()) {
      Family family =
          families.of(
              change instanceof Statement.Put put
                  ? put.path()
                  : ((Statement.Delete) change).path());
      if (keyspace == null || batch == null) {
        keyspace = session.client().keyspace(family.keyspace()).with(calls.writes());
        batch = keyspace.batch();
      } else if (!keyspace.name().equals(family.keyspace())) {
        throw StatementFailure.refused(
            "a batch is for one keyspace; this one has changes to "
                + keyspace.name()
                + " and to "
                + family.keyspace()
                + ". Split it in two");
      }
      add(batch, keyspace, family, change);
    }
    if (batch != null) {
      batch.apply();
    }
    int changes = statement.changes().size();
    session.output().done("Applied " + changes + (changes == 1 ? " change." : " changes."));
  }

  private static void add(Batch batch, Keyspace keyspace, Family family, Statement.Change change)
      throws StatementFailure {
    if (change instanceof Statement.Put put) {
      byte[] key = family.key(ReadStatements.rowOf(put.path()));
      Batch unused = batch.insert(columns(family, keyspace, put), key, column(family, put));
    } else if (change instanceof Statement.Delete delete) {
      if (delete.timestamp().isPresent()) {
        throw StatementFailure.refused(
            "a del within a batch has the time of the batch; take it out of the batch to give it a"
                + " timestamp");
      }
      byte[] key = family.key(ReadStatements.rowOf(delete.path()));
      removal(family, keyspace, delete)
          .from(
              new Remover() {
                @Override
                public <C> void remove(Entries<byte[], byte[], C> entries) {
                  Batch unused = batch.remove(entries, key);
                }

                @Override
                public <C> void remove(Entries<byte[], byte[], C> entries, Slice<byte[]> slice) {
                  Batch unused = batch.removeRange(entries, key, slice);
                }
              });
    }
  }

  void touch(Statement.Touch touch) throws StatementFailure {
    Family family = families.of(touch.family());
    Keyspace keyspace = session.client().keyspace(family.keyspace());
    List<byte[]> keys = family.keyList(touch.keys());
    int found =
        family.isSuper()
            ? Level.superFamily(family, keyspace).touch(keys)
            : Level.standard(family, keyspace).touch(keys);
    session
        .output()
        .done("Touched " + found + " of " + keys.size() + (keys.size() == 1 ? " row." : " rows."));
  }

  void truncate(Statement.Truncate truncate) throws StatementFailure {
    Family family = families.of(truncate.family());
    Keyspace keyspace = session.client().keyspace(family.keyspace());
    if (family.isSuper()) {
      Level.superFamily(family, keyspace).truncate();
    } else {
      Level.standard(family, keyspace).truncate();
    }
    session.output().done(family.name() + " truncated.");
  }

  private static Columns<byte[], byte[], byte[]> columns(
      Family family, Keyspace keyspace, Statement.Put put) throws StatementFailure {
    List<Literal> names = put.path().names();
    if (names.size() != (family.isSuper() ? 2 : 1)) {
      throw StatementFailure.refused(
          family.isSuper()
              ? family.name()
                  + " is a Super family: write "
                  + family.name()
                  + "['key']['super column']['column'] = 'value'"
              : family.name()
                  + " is a Standard family: write "
                  + family.name()
                  + "['key']['column'] = 'value'");
    }
    return family.isSuper()
        ? Level.superFamily(family, keyspace).within(family.entryName(names.get(0)))
        : Level.standard(family, keyspace);
  }

  private static Column<byte[], byte[]> column(Family family, Statement.Put put)
      throws StatementFailure {
    List<Literal> names = put.path().names();
    byte[] name = family.columnName(names.get(names.size() - 1));
    Column<byte[], byte[]> column = Column.of(name, family.value(name, put.value()));
    if (put.timestamp().isPresent()) {
      column = column.withTimestamp(put.timestamp().getAsLong());
    }
    if (put.ttlSeconds().isPresent()) {
      column = column.withTtl(Duration.ofSeconds(put.ttlSeconds().getAsInt()));
    }
    return column;
  }

  /** Removes something, now or later in a batch. */
  private interface Remover {
    <C> void remove(Entries<byte[], byte[], C> entries);

    <C> void remove(Entries<byte[], byte[], C> entries, Slice<byte[]> slice);
  }

  /**
   * What is to be removed.
   *
   * @param slice empty for all
   */
  private record Removal<C>(Level<C> level, List<Slice<byte[]>> slice) {
    void from(Remover remover) {
      if (slice.isEmpty()) {
        remover.remove(level.entries());
      } else {
        remover.remove(level.entries(), slice.get(0));
      }
    }
  }

  private static Removal<?> removal(Family family, Keyspace keyspace, Statement.Delete delete)
      throws StatementFailure {
    List<Literal> names = delete.path().names();
    SliceClause clause = delete.slice();
    if (names.size() == (family.isSuper() ? 2 : 1)) {
      ReadStatements.requireNoSlice(clause);
      Level<?> level = ReadStatements.level(family, keyspace, names.subList(0, names.size() - 1));
      byte[] name = family.columnName(names.get(names.size() - 1));
      return new Removal<>(level, List.of(Slice.named(List.of(name))));
    }
    Level<?> level = ReadStatements.level(family, keyspace, names);
    if (clause.isNone()) {
      return new Removal<>(level, List.of());
    }
    if (clause.reversed() || clause.limit().isPresent()) {
      throw StatementFailure.refused(
          "del removes everything from one end to the other: it takes neither a limit nor a"
              + " direction");
    }
    return new Removal<>(level, List.of(level.slice(clause)));
  }
}
