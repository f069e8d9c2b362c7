package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.value.SerializedType.Functions;
import dev.colonnade.cli.shell.value.SerializedType.Reading;
import dev.colonnade.client.Serializer;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.TimeUuids;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/** All types by all their names. */
final class TypeTable {

  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}");

  private static final Pattern DOUBLE_TEXT =
      Pattern.compile("[+-]?(NaN|Infinity|[0-9]++(\\.[0-9]*+)?([eE][+-]?[0-9]++)?)");

  private static final String BYTES_TYPE = "BytesType";

  private final Functions functions;

  /** By names in lower case, in the order of help; of each type first the word for statements. */
  private final Map<String, SerializedType<?>> types = new LinkedHashMap<>();

  private TypeTable(Functions functions) {
    this.functions = functions;
  }

  static Map<String, SerializedType<?>> types(Functions functions) {
    TypeTable table = new TypeTable(functions);
    table.addComparators();
    table.addTypesOfValues();
    return table.types;
  }

  /** Bytes that nothing is known of: shown as text where they are text. */
  static SerializedType<?> untyped(Functions functions) {
    return new SerializedType<>(
        BYTES_TYPE,
        "text, or bytes as 0x…",
        Serializers.BYTES,
        (text, edge) -> Serializers.UTF8.toBytes(text),
        UntypedText::show,
        functions);
  }

  private void addComparators() {
    add(
        "bytes",
        BYTES_TYPE,
        "text, or bytes as 0x…",
        Serializers.BYTES,
        (text, edge) -> Serializers.UTF8.toBytes(text),
        value -> new Shown(SerializedType.hex(value), Shown.Form.HEX));
    add(
        "ascii",
        "AsciiType",
        "text of seven-bit characters",
        Serializers.ASCII,
        (text, edge) -> text,
        TypeTable::text);
    add("utf8", "UTF8Type", "text", Serializers.UTF8, (text, edge) -> text, TypeTable::text);
    add(
        "long",
        "LongType",
        "a whole number from -9223372036854775808 to 9223372036854775807, or 8 bytes",
        Serializers.LONG,
        (text, edge) -> Long.parseLong(text),
        TypeTable::text);
    add(
        "integer",
        "IntegerType",
        "a whole number of at most " + Integers.MAX_DIGITS + " digits",
        Integers.SERIALIZER,
        (text, edge) -> Integers.read(text),
        Integers::show);
    add(
        "lexicaluuid",
        "LexicalUUIDType",
        "a UUID as 550e8400-e29b-41d4-a716-446655440000, or 16 bytes",
        Serializers.UUIDS,
        (text, edge) -> uuid(text),
        TypeTable::text);
    types.put("uuid", types.get("lexicaluuid"));
    add(
        "timeuuid",
        "TimeUUIDType",
        "a UUID of version 1 or a moment as '2010-05-01T10:00:00Z', or the 16 bytes of one",
        Serializers.TIME_UUID,
        TypeTable::timeUuid,
        TypeTable::text);
  }

  private void addTypesOfValues() {
    add(
        "int",
        "Int32Type",
        "a whole number from -2147483648 to 2147483647, or 4 bytes",
        Serializers.INT,
        (text, edge) -> Integer.parseInt(text),
        TypeTable::plain);
    types.put("int32", types.get("int"));
    add(
        "double",
        "DoubleType",
        "a number, or 8 bytes",
        Serializers.DOUBLE,
        (text, edge) -> number(text),
        value -> Double.isFinite(value) ? plain(value) : text(value));
    add(
        "boolean",
        "BooleanType",
        "true or false, or one byte, 0 or 1",
        Serializers.BOOLEAN,
        (text, edge) -> truth(text),
        TypeTable::plain);
    add(
        "instant",
        "InstantType",
        "a moment as '2010-05-01T10:00:00Z', or 8 bytes",
        Serializers.INSTANT,
        Moments::read,
        TypeTable::text);
  }

  private <T> void add(
      String word,
      String name,
      String wants,
      Serializer<T> serializer,
      Reading<T> reading,
      Function<T, Shown> showing) {
    SerializedType<T> type =
        new SerializedType<>(name, wants, serializer, reading, showing, functions);
    types.put(word, type);
    types.put(name.toLowerCase(Locale.ROOT), type);
  }

  private static Shown text(Object value) {
    return new Shown(value.toString(), Shown.Form.TEXT);
  }

  private static Shown plain(Object value) {
    return new Shown(value.toString(), Shown.Form.PLAIN);
  }

  private static UUID uuid(String text) {
    if (!UUID_TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException(text + " is not a UUID");
    }
    return UUID.fromString(text);
  }

  private static UUID timeUuid(String text, Edge edge) {
    if (UUID_TEXT.matcher(text).matches()) {
      return UUID.fromString(text);
    }
    Instant moment = Moments.read(text, edge);
    return edge == Edge.FIRST ? TimeUuids.firstOf(moment) : TimeUuids.lastOf(moment);
  }

  /** Not all that Java reads as one: neither {@code 1d} nor {@code 0x1p3}. */
  private static double number(String text) {
    if (!DOUBLE_TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException(text + " is not a number");
    }
    return Double.parseDouble(text);
  }

  private static boolean truth(String text) {
    boolean isTrue = text.equalsIgnoreCase("true");
    if (!isTrue && !text.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException(text + " is neither true nor false");
    }
    return isTrue;
  }
}
