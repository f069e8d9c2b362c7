package dev.colonnade.cli.shell.copy;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A column of a row, as a file has it.
 *
 * @param key of the row, as the shell shows it; so are the names and the value
 * @param superColumn in a Super family
 * @param timestampMicros empty: that of the moment when it is written
 * @param ttlSeconds empty: it stays
 */
public record ColumnRecord(
    String key,
    Optional<String> superColumn,
    String column,
    String value,
    OptionalLong timestampMicros,
    OptionalLong ttlSeconds) {

  /** The fields of a record, by their names in files, in the order in which they are written. */
  enum Field {
    KEY,
    SUPER_COLUMN,
    COLUMN,
    VALUE,
    TIMESTAMP,
    TTL;

    String title() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Whether each record of a family must have it. */
    boolean required(boolean superFamily) {
      return this == KEY
          || this == COLUMN
          || this == VALUE
          || (this == SUPER_COLUMN && superFamily);
    }

    /** Its text in a record; empty where it has none. */
    String of(ColumnRecord record) {
      return switch (this) {
        case KEY -> record.key();
        case SUPER_COLUMN -> record.superColumn().orElse("");
        case COLUMN -> record.column();
        case VALUE -> record.value();
        case TIMESTAMP -> text(record.timestampMicros());
        case TTL -> text(record.ttlSeconds());
      };
    }

    private static String text(OptionalLong number) {
      return number.isPresent() ? Long.toString(number.getAsLong()) : "";
    }
  }
}
