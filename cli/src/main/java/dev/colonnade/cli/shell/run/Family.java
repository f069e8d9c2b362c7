package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.AnswerScope;
import dev.colonnade.cli.shell.output.ShownEntry;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.LiteralException;
import dev.colonnade.cli.shell.value.Shown;
import dev.colonnade.cli.shell.value.ValueType;
import dev.colonnade.client.Column;
import dev.colonnade.client.SuperColumn;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A family that a statement is about, with the types of its keys, names and values: converts
 * between the text of statements and answers and the bytes in the store.
 *
 * @param names of what stands directly under a row
 * @param subnames of columns within super columns; of no meaning in a Standard family
 * @param values of columns
 * @param columnValues the same, of columns with these names
 */
record Family(
    String keyspace,
    String name,
    boolean isSuper,
    ValueType keys,
    ValueType names,
    ValueType subnames,
    ValueType values,
    Map<ByteBuffer, ValueType> columnValues) {

  private static final String HEX = "0x";

  /** The same with one type for all values. */
  Family withValues(ValueType type) {
    return new Family(keyspace, name, isSuper, keys, names, subnames, type, Map.of());
  }

  /** The same, with text that always gives the same bytes again. */
  Family exact() {
    Map<ByteBuffer, ValueType> exactValues = new HashMap<>();
    columnValues.forEach((column, type) -> exactValues.put(column, new ExactType(type)));
    return new Family(
        keyspace,
        name,
        isSuper,
        new ExactType(keys),
        new ExactType(names),
        new ExactType(subnames),
        new ExactType(values),
        exactValues);
  }

  private ValueType values(byte[] columnName) {
    return columnValues.isEmpty()
        ? values
        : columnValues.getOrDefault(ByteBuffer.wrap(columnName), values);
  }

  /** The type of names of columns, wherever they stand. */
  ValueType columnNames() {
    return isSuper ? subnames : names;
  }

  /** Text that looks like bytes is shown as bytes, so that what looks like bytes is bytes. */
  private static String text(ValueType type, byte[] bytes) {
    Shown shown = type.shown(bytes);
    return shown.form() != Shown.Form.HEX && shown.text().startsWith(HEX)
        ? HEX + HexFormat.of().formatHex(bytes)
        : shown.text();
  }

  byte[] key(Literal literal) throws StatementFailure {
    return bytes("the key", keys, literal);
  }

  List<byte[]> keyList(List<Literal> literals) throws StatementFailure {
    List<byte[]> all = new ArrayList<>();
    for (Literal literal : literals) {
      all.add(key(literal));
    }
    return all;
  }

  /** The name of a column of a Standard family, or of a super column. */
  byte[] entryName(Literal literal) throws StatementFailure {
    return bytes(isSuper ? "the super column's name" : "the column's name", names, literal);
  }

  byte[] columnName(Literal literal) throws StatementFailure {
    return bytes("the column's name", columnNames(), literal);
  }

  byte[] value(byte[] columnName, Literal literal) throws StatementFailure {
    return bytes("the value", values(columnName), literal);
  }

  AnswerScope place() {
    return new AnswerScope(keyspace, name, Optional.empty());
  }

  AnswerScope within(byte[] superColumn) {
    return new AnswerScope(keyspace, name, Optional.of(text(names, superColumn)));
  }

  String show(byte[] key) {
    return text(keys, key);
  }

  ShownEntry.Column shown(Column<byte[], byte[]> column) {
    return new ShownEntry.Column(
        text(columnNames(), column.name()),
        text(values(column.name()), column.value()),
        column.timestampMicros().orElse(0),
        column.ttl().map(Duration::getSeconds).map(OptionalLong::of).orElse(OptionalLong.empty()));
  }

  ShownEntry.Super shownSuper(SuperColumn<byte[], byte[], byte[]> whole) {
    return new ShownEntry.Super(
        text(names, whole.name()), whole.columns().stream().map(this::shown).toList());
  }

  private static byte[] bytes(String what, ValueType type, Literal literal)
      throws StatementFailure {
    return bytes(what, type, literal, Edge.FIRST);
  }

  /** The bytes of a literal. */
  static byte[] bytes(String what, ValueType type, Literal literal, Edge edge)
      throws StatementFailure {
    try {
      return type.bytes(literal, edge);
    } catch (LiteralException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED, "BAD_LITERAL", what + ": " + e.getMessage(), e);
    }
  }
}
