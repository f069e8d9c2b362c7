package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.AnswerScope;
import dev.colonnade.cli.shell.output.ShownEntry;
import dev.colonnade.cli.shell.output.ShownRow;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.SliceClause;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.LiteralException;
import dev.colonnade.cli.shell.value.ValueType;
import dev.colonnade.cli.shell.value.WriteTimes;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Entries;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import java.util.Iterator;
import java.util.function.Function;

/**
 * Where in a family entries are: directly under its rows, or within one super column of each.
 *
 * @param shown an entry as text
 * @param names the type of the entries' names
 * @param superColumns whether the entries are super columns
 * @param <C> entries of the client library
 */
record Level<C>(
    Family family,
    Entries<byte[], byte[], C> entries,
    Function<C, ShownEntry> shown,
    ValueType names,
    boolean superColumns,
    AnswerScope place) {

  static SuperColumnFamily<byte[], byte[], byte[], byte[]> superFamily(
      Family family, Keyspace keyspace) {
    return keyspace.superColumnFamily(
        family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
  }

  static ColumnFamily<byte[], byte[], byte[]> standard(Family family, Keyspace keyspace) {
    return keyspace.columnFamily(
        family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
  }

  /** Directly under the rows. */
  static Level<?> top(Family family, Keyspace keyspace) {
    return family.isSuper()
        ? new Level<>(
            family,
            superFamily(family, keyspace),
            family::shownSuper,
            family.names(),
            true,
            family.place())
        : new Level<>(
            family,
            standard(family, keyspace),
            family::shown,
            family.names(),
            false,
            family.place());
  }

  /** Within a super column. */
  static Level<?> within(Family family, byte[] superColumn, Keyspace keyspace) {
    return new Level<>(
        family,
        superFamily(family, keyspace).within(superColumn),
        family::shown,
        family.subnames(),
        false,
        family.within(superColumn));
  }

  /** The slice that a statement means, without its limit. */
  Slice<byte[]> slice(SliceClause clause) throws StatementFailure {
    Slice<byte[]> slice = Slice.all();
    if (clause.from().isPresent()) {
      byte[] from =
          end(clause.from().get(), Edge.ofFrom(clause.fromExclusive(), clause.reversed()));
      slice = clause.fromExclusive() ? Slice.after(from) : Slice.from(from);
    }
    if (clause.to().isPresent()) {
      byte[] to = end(clause.to().get(), Edge.ofTo(clause.toExclusive(), clause.reversed()));
      slice = clause.toExclusive() ? slice.before(to) : slice.to(to);
    }
    if (clause.since().isPresent()) {
      slice = slice.since(timestamp(clause.since().get()));
    }
    return clause.reversed() ? slice.reversed() : slice;
  }

  private static long timestamp(Literal literal) throws StatementFailure {
    try {
      return WriteTimes.read(literal);
    } catch (LiteralException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED, "BAD_LITERAL", "since: " + e.getMessage(), e);
    }
  }

  private byte[] end(Literal literal, Edge edge) throws StatementFailure {
    return Family.bytes("the end of the slice", names, literal, edge);
  }

  ShownRow shown(byte[] key, Iterator<C> found, int limit) {
    Limited<C> limited = new Limited<>(found, limit);
    return new ShownRow(
        family.show(key), superColumns, new Mapped<>(limited, shown), limited::more);
  }

  ShownRow shown(Row<byte[], C> row, int limit) {
    return shown(row.key(), row.entries().iterator(), limit);
  }
}
