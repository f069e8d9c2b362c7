package dev.colonnade.connectors.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colonnade.client.Serializer;
import dev.colonnade.client.Serializers;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/** What the bytes of a key, a name or a value mean, and how Spark holds it. */
enum WireType {
  /** Bytes as they are. */
  BYTES("BytesType", DataTypes.BinaryType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return row.getBinary(at);
    }

    @Override
    Object decode(byte[] bytes) {
      return bytes;
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return value instanceof byte[] bytes ? Optional.of(bytes) : Optional.empty();
    }
  },

  /** Text in UTF-8. What is not UTF-8 passes unchanged. */
  TEXT("UTF8Type", DataTypes.StringType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return row.getUTF8String(at).getBytes();
    }

    @Override
    Object decode(byte[] bytes) {
      return UTF8String.fromBytes(bytes);
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return value instanceof String text ? Optional.of(text.getBytes(UTF_8)) : Optional.empty();
    }
  },

  /** Eight bytes. */
  LONG("LongType", DataTypes.LongType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return Serializers.LONG.toBytes(row.getLong(at));
    }

    @Override
    Object decode(byte[] bytes) {
      return Serializers.LONG.fromBytes(bytes);
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return value instanceof Long number
          ? Optional.of(Serializers.LONG.toBytes(number))
          : Optional.empty();
    }

    @Override
    byte[] name(String text) {
      return Serializers.LONG.toBytes(Long.valueOf(text));
    }
  },

  /** A whole number in as many bytes as it needs; Spark holds 38 digits. */
  INTEGER("IntegerType", DataTypes.createDecimalType(38, 0)) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return row.getDecimal(at, 38, 0).toJavaBigDecimal().toBigIntegerExact().toByteArray();
    }

    @Override
    Object decode(byte[] bytes) {
      BigDecimal number = new BigDecimal(new BigInteger(bytes));
      if (number.precision() > 38) {
        throw new IllegalArgumentException(
            "Spark holds numbers of 38 digits, and this one has " + number.precision());
      }
      return Decimal.apply(number, 38, 0);
    }

    @Override
    byte[] name(String text) {
      return new BigInteger(text).toByteArray();
    }
  },

  /** Four bytes. */
  INT32("Int32Type", DataTypes.IntegerType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return Serializers.INT.toBytes(row.getInt(at));
    }

    @Override
    Object decode(byte[] bytes) {
      return Serializers.INT.fromBytes(bytes);
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return value instanceof Integer number
          ? Optional.of(Serializers.INT.toBytes(number))
          : Optional.empty();
    }
  },

  /** Eight bytes, in the form that keeps the order of numbers below zero. */
  DOUBLE("DoubleType", DataTypes.DoubleType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return Serializers.DOUBLE.toBytes(row.getDouble(at));
    }

    @Override
    Object decode(byte[] bytes) {
      return Serializers.DOUBLE.fromBytes(bytes);
    }
  },

  /** One byte, 0 or 1. */
  BOOLEAN("BooleanType", DataTypes.BooleanType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return Serializers.BOOLEAN.toBytes(row.getBoolean(at));
    }

    @Override
    Object decode(byte[] bytes) {
      return Serializers.BOOLEAN.fromBytes(bytes);
    }
  },

  /** Microseconds since 1970 in eight bytes, as Spark counts them too. */
  INSTANT("InstantType", DataTypes.TimestampType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return Serializers.LONG.toBytes(row.getLong(at));
    }

    @Override
    Object decode(byte[] bytes) {
      return Serializers.LONG.fromBytes(bytes);
    }
  },

  /** Sixteen bytes, as text to Spark. */
  LEXICAL_UUID("LexicalUUIDType", DataTypes.StringType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return name(row.getUTF8String(at).toString());
    }

    @Override
    Object decode(byte[] bytes) {
      return uuid(Serializers.UUIDS, bytes);
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return uuid(Serializers.UUIDS, value);
    }

    @Override
    byte[] name(String text) {
      return Serializers.UUIDS.toBytes(UUID.fromString(text));
    }
  },

  /** Sixteen bytes of a UUID that holds a time, as text to Spark. */
  TIME_UUID("TimeUUIDType", DataTypes.StringType) {
    @Override
    byte[] encode(SpecializedGetters row, int at) {
      return name(row.getUTF8String(at).toString());
    }

    @Override
    Object decode(byte[] bytes) {
      return uuid(Serializers.TIME_UUID, bytes);
    }

    @Override
    Optional<byte[]> literal(Object value) {
      return uuid(Serializers.TIME_UUID, value);
    }

    @Override
    byte[] name(String text) {
      return Serializers.TIME_UUID.toBytes(UUID.fromString(text));
    }
  };

  private static final String DOTTED = "org.apache.cassandra.db.marshal.";

  private final String typeName;
  private final DataType dataType;

  WireType(String typeName, DataType dataType) {
    this.typeName = typeName;
    this.dataType = dataType;
  }

  /** How Spark holds it. */
  DataType dataType() {
    return dataType;
  }

  /** The bytes of a field of a row, which is not null. */
  abstract byte[] encode(SpecializedGetters row, int at);

  /**
   * What Spark's rows hold for bytes.
   *
   * @throws IllegalArgumentException if they cannot be of this type
   */
  abstract Object decode(byte[] bytes);

  /**
   * The only bytes that Spark would find equal to the literal of a filter; empty if others may be,
   * or if this cannot be told.
   */
  Optional<byte[]> literal(Object value) {
    return Optional.empty();
  }

  /**
   * The bytes of a column's name, as a schema of Spark has it.
   *
   * @throws IllegalArgumentException if there are none
   */
  byte[] name(String text) {
    return text.getBytes(UTF_8);
  }

  /**
   * By the name of a comparator, or of a type as people are shown it, or of a type of Spark.
   *
   * @return bytes for names that are unknown, as a program may have types of its own
   */
  static WireType named(String name) {
    String wanted = name.startsWith(DOTTED) ? name.substring(DOTTED.length()) : name;
    if (wanted.equalsIgnoreCase("AsciiType")) {
      return TEXT;
    }
    for (WireType each : values()) {
      if (each.typeName.equalsIgnoreCase(wanted)
          || each.dataType.simpleString().equals(wanted.toLowerCase(Locale.ROOT))) {
        return each;
      }
    }
    return BYTES;
  }

  /**
   * The type of a field.
   *
   * @param field what is said of it in errors
   * @param type of Spark
   * @param declared what its bytes are said to be; {@link #BYTES} if nothing is known
   * @throws IllegalArgumentException if they contradict each other
   */
  static WireType of(String field, DataType type, WireType declared) {
    if (type.equals(DataTypes.BinaryType)) {
      return BYTES;
    }
    if (declared != BYTES) {
      if (declared.dataType.equals(type)) {
        return declared;
      }
      throw new IllegalArgumentException(
          field
              + " is "
              + type.simpleString()
              + ", and the family, or an option, says that its bytes are "
              + declared.typeName
              + ", which is "
              + declared.dataType.simpleString()
              + ": give it that type, or binary");
    }
    for (WireType each : values()) {
      if (each.dataType.equals(type)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        field
            + " is "
            + type.simpleString()
            + ", for which there are no bytes: cast it to binary, string, bigint, int, double,"
            + " boolean, timestamp or decimal(38,0)");
  }

  /**
   * Whether a node takes bytes of this type as a name under a comparator, and these bytes.
   *
   * @param comparator as nodes name it
   */
  boolean isName(String comparator, byte[] bytes) {
    return switch (comparator) {
      case "BytesType" -> true;
      case "AsciiType" -> this == TEXT && isAscii(bytes);
      case "UTF8Type", "LongType", "LexicalUUIDType", "TimeUUIDType" -> typeName.equals(comparator);
      default -> false;
    };
  }

  /** Whether a comparator orders bytes as Spark orders what they stand for. */
  boolean isOrderedBy(String comparator) {
    return switch (comparator) {
      case "BytesType" -> this == TEXT || this == BYTES;
      case "AsciiType", "UTF8Type" -> this == TEXT;
      case "LongType" -> this == LONG;
      default -> false;
    };
  }

  private static boolean isAscii(byte[] bytes) {
    for (byte each : bytes) {
      if (each < 0) {
        return false;
      }
    }
    return true;
  }

  private static UTF8String uuid(Serializer<UUID> serializer, byte[] bytes) {
    return UTF8String.fromString(serializer.fromBytes(bytes).toString());
  }

  /** Another spelling of a UUID is another text to Spark, so only the usual one is looked up. */
  private static Optional<byte[]> uuid(Serializer<UUID> serializer, Object value) {
    if (value instanceof String text && text.length() == 36) {
      try {
        UUID uuid = UUID.fromString(text);
        return uuid.toString().equals(text)
            ? Optional.of(serializer.toBytes(uuid))
            : Optional.empty();
      } catch (IllegalArgumentException e) {
        // No row has it, which Spark finds out by itself.
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
