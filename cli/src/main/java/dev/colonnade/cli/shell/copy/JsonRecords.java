package dev.colonnade.cli.shell.copy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import dev.colonnade.cli.shell.copy.ColumnRecord.Field;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** An object on each line, with the fields by their names; empty lines are passed over. */
final class JsonRecords implements RecordReader {

  private static final Gson GSON =
      new GsonBuilder().setStrictness(Strictness.STRICT).disableHtmlEscaping().create();

  /** A value of 15 MiB of escapes such as &#92;u0000, with a key and names as long as they get. */
  private static final int MAX_BYTES = 96 << 20;

  private static final List<String> TITLES =
      Arrays.stream(Field.values()).map(Field::title).toList();

  private static final String ARRAY =
      "it begins an array of JSON; a file has an object on each line, without an array around them"
          + " (`jq -c '.[]' FILE` writes them so)";

  private final RecordLines lines;
  private final boolean superFamily;
  private String raw = "";

  JsonRecords(InputStream bytes, boolean superFamily) {
    this.lines = new RecordLines(bytes, MAX_BYTES);
    this.superFamily = superFamily;
  }

  @Override
  public Optional<ColumnRecord> next() throws IOException, BadRecordException {
    do {
      raw = lines.next();
    } while (!raw.isEmpty() && raw.isBlank());
    if (raw.isEmpty()) {
      return Optional.empty();
    }
    if (lines.tooLong(raw)) {
      throw new BadRecordException("it is longer than a record can be");
    }
    JsonObject object = object(RecordLines.text(raw));
    for (String name : object.keySet()) {
      if (!TITLES.contains(name)) {
        throw new BadRecordException("there is no field '" + name + "'");
      }
    }
    if (!superFamily && object.has(Field.SUPER_COLUMN.title())) {
      throw new BadRecordException("a Standard family has no super columns");
    }
    return Optional.of(
        new ColumnRecord(
            text(object, Field.KEY),
            superFamily ? Optional.of(text(object, Field.SUPER_COLUMN)) : Optional.empty(),
            text(object, Field.COLUMN),
            text(object, Field.VALUE),
            number(object, Field.TIMESTAMP),
            number(object, Field.TTL)));
  }

  private static JsonObject object(String line) throws BadRecordException {
    try {
      JsonElement element = GSON.fromJson(line, JsonElement.class);
      if (element instanceof JsonObject object) {
        return object;
      }
    } catch (JsonParseException e) {
      throw new BadRecordException(line.startsWith("[") ? ARRAY : "it is not JSON", e);
    }
    throw new BadRecordException(
        line.startsWith("[") ? ARRAY : "it is JSON, but not an object with the fields of a record");
  }

  private static String text(JsonObject object, Field field) throws BadRecordException {
    JsonElement value = object.get(field.title());
    if (value == null) {
      throw new BadRecordException("it has no " + field.title());
    }
    if (value instanceof JsonPrimitive primitive && !primitive.isBoolean()) {
      return primitive.getAsString();
    }
    throw new BadRecordException(field.title() + " is text or a number; got " + value);
  }

  private static OptionalLong number(JsonObject object, Field field) throws BadRecordException {
    if (!object.has(field.title())) {
      return OptionalLong.empty();
    }
    String text = text(object, field);
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new BadRecordException(field.title() + " is a whole number; got " + text, e);
    }
  }

  @Override
  public String heading() {
    return "";
  }

  @Override
  public long line() {
    return lines.line();
  }

  @Override
  public String raw() {
    return raw;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  /** Numbers of 64 bits are text, because many readers of JSON keep only 53 bits. */
  static String text(ColumnRecord record) {
    JsonObject object = new JsonObject();
    for (Field field : Field.values()) {
      String text = field.of(record);
      boolean written =
          switch (field) {
            case SUPER_COLUMN -> record.superColumn().isPresent();
            case TIMESTAMP, TTL -> !text.isEmpty();
            default -> true;
          };
      if (written && field == Field.TTL) {
        object.addProperty(field.title(), record.ttlSeconds().orElseThrow());
      } else if (written) {
        object.addProperty(field.title(), text);
      }
    }
    return GSON.toJson(object) + "\n";
  }
}
