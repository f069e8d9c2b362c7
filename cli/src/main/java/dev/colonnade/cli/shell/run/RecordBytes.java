package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.copy.ColumnRecord;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.client.Column;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a record of a file is in the store.
 *
 * @param superColumn null in a Standard family
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record RecordBytes(byte[] key, byte @Nullable [] superColumn, Column<byte[], byte[]> column) {

  private static final String HEX = "0x";
  private static final Position NOWHERE = new Position(1, 1);

  /** Reads the texts of a record by the types of the family. */
  static RecordBytes of(Family family, ColumnRecord record) throws StatementFailure {
    byte[] superColumn =
        family.isSuper() ? family.entryName(literal(record.superColumn().orElse(""))) : null;
    byte[] name = family.columnName(literal(record.column()));
    Column<byte[], byte[]> column = Column.of(name, family.value(name, literal(record.value())));
    if (record.timestampMicros().isPresent()) {
      column = column.withTimestamp(record.timestampMicros().getAsLong());
    }
    if (record.ttlSeconds().isPresent()) {
      column = withTtl(column, record.ttlSeconds().getAsLong());
    }
    return new RecordBytes(family.key(literal(record.key())), superColumn, column);
  }

  private static Column<byte[], byte[]> withTtl(Column<byte[], byte[]> column, long seconds)
      throws StatementFailure {
    try {
      return column.withTtl(Duration.ofSeconds(seconds));
    } catch (IllegalArgumentException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "BAD_LITERAL",
          "ttl is from 1 to " + Integer.MAX_VALUE + " seconds; got " + seconds,
          e);
    }
  }

  /** What looks like bytes is bytes, as the shell shows it. */
  private static Literal literal(String text) throws StatementFailure {
    if (!text.startsWith(HEX)) {
      return new Literal.Text(NOWHERE, text, true);
    }
    String digits = text.substring(HEX.length());
    try {
      byte[] unused = HexFormat.of().parseHex(digits);
      return new Literal.Hex(NOWHERE, digits);
    } catch (IllegalArgumentException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "BAD_LITERAL",
          "what begins with 0x is bytes, of two hexadecimal digits each",
          e);
    }
  }
}
