package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.schema.FamilyDefinition;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The families that lists work on, and the names in them. */
final class Families {

  static final String KEYSPACE = "Lists";

  /**
   * How many keys, columns (or super columns) of a row, and columns of a super column there are.
   */
  static final int KEYS = 3;

  static final int TOPS = 7;
  static final int SUBS = 6;

  private Families() {}

  /** One family of each kind. */
  enum Shape {
    PLAIN(0),
    /** Numbers, which can be spelled in two ways. */
    NUMBERED(1),
    NESTED(2);

    private final int number;

    Shape(int number) {
      this.number = number;
    }

    /** Tells them apart. */
    int number() {
      return number;
    }

    boolean isSuper() {
      return this == NESTED;
    }

    FamilyDefinition definition() {
      return switch (this) {
        case PLAIN -> FamilyDefinition.standard(KEYSPACE, "Plain", "BytesType");
        case NUMBERED -> FamilyDefinition.standard(KEYSPACE, "Numbered", "IntegerType");
        case NESTED -> FamilyDefinition.superFamily(KEYSPACE, "Nested", "UTF8Type", "LongType");
      };
    }

    /** The name of a column or super column; in {@link #NUMBERED} from {@link #TOPS} on longer. */
    byte[] top(int number) {
      return switch (this) {
        case PLAIN, NESTED -> new byte[] {(byte) ('a' + number % TOPS)};
        case NUMBERED ->
            number < TOPS ? new byte[] {(byte) number} : new byte[] {0, (byte) (number - TOPS)};
      };
    }

    /** The name of a column of a super column; null where there are none. */
    byte @Nullable [] sub(int number) {
      return isSuper() ? new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) number} : null;
    }
  }

  static byte[] key(int number) {
    return ("row" + number).getBytes(StandardCharsets.UTF_8);
  }
}
