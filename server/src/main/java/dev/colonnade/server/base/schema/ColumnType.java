package dev.colonnade.server.base.schema;

import java.util.Optional;

/** Whether the rows of a column family hold columns or super columns. */
public enum ColumnType {
  STANDARD("Standard"),
  SUPER("Super");

  private final String text;

  ColumnType(String text) {
    this.text = text;
  }

  /** As storage-conf.xml spells it. */
  public String text() {
    return text;
  }

  /** Parses the type from a configuration file or a stored schema; case matters. */
  public static Optional<ColumnType> parse(String text) {
    for (ColumnType type : values()) {
      if (type.text.equals(text)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
