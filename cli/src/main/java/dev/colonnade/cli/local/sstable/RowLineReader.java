package dev.colonnade.cli.local.sstable;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link RowLines} writes, and refuses everything else with the number of the line.
 * Holds one line.
 */
final class RowLineReader {

  /** A column of the largest value, as base64. */
  private static final int LINE_CHARACTERS_MAX = 1 << 29;

  private static final Gson GSON = new GsonBuilder().setStrictness(Strictness.STRICT).create();

  private static final Set<String> ROW =
      Set.of(
          RowFields.KEY, RowFields.CONTINUED, RowFields.DELETED, RowFields.OPEN, RowFields.COLUMNS);

  private static final Set<String> CELL =
      Set.of(
          RowFields.SUPER,
          RowFields.NAME,
          RowFields.VALUE,
          RowFields.TIMESTAMP,
          RowFields.TTL,
          RowFields.EXPIRES,
          RowFields.EXPIRED,
          RowFields.DELETED);

  private static final Set<String> MARKER =
      Set.of(RowFields.BOUND, RowFields.SUPER, RowFields.NAME, RowFields.ENDS, RowFields.BEGINS);

  private static final Set<String> DELETION = Set.of(RowFields.TIMESTAMP, RowFields.AT);

  /** A line that cannot be read. */
  static final class BadLineException extends Exception {
    private static final long serialVersionUID = 1L;

    BadLineException(String message) {
      super(message);
    }

    BadLineException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * What the first line says.
   *
   * @param id of the family that the rows were exported from
   * @param subcomparator empty for a Standard family
   */
  record Heading(FamilyId id, String partitioner, String comparator, String subcomparator) {}

  /**
   * A line with a row, or with a part of one.
   *
   * @param continued whether it goes on with the row of the line before
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record RowLine(
      byte[] key, boolean continued, DeletionTime deletion, DeletionTime open, List<Atom> atoms) {

    /** Adds it to a file. */
    void addTo(DataFileImport file) throws IOException, OfflineException, BadLineException {
      if (!continued) {
        file.startRow(key, deletion, open);
      } else if (!file.isCurrentRow(key)) {
        throw new BadLineException("it goes on with another row than the line before it");
      }
      for (Atom atom : atoms) {
        file.add(atom);
      }
    }
  }

  private final Reader in;
  private final StringBuilder text = new StringBuilder();
  private boolean superFamily;
  private long line;

  /**
   * Creates a reader.
   *
   * @param in buffered
   */
  RowLineReader(Reader in) {
    this.in = in;
  }

  /** The number of the line that was read last, from 1. */
  long line() {
    return line;
  }

  /** The first line. */
  Heading heading() throws IOException, BadLineException {
    String first = next();
    if (first == null) {
      throw new BadLineException("the file is empty");
    }
    JsonObject object = object(first);
    if (!object.has(RowFields.VERSION)) {
      throw new BadLineException(
          "it does not begin with what the rows are of ({\"" + RowFields.VERSION + "\":1,...})");
    }
    if (number(object, RowFields.VERSION) != RowLines.VERSION) {
      throw new BadLineException(
          "it is of version "
              + number(object, RowFields.VERSION)
              + " of the format; this release reads version "
              + RowLines.VERSION);
    }
    try {
      Heading heading =
          new Heading(
              FamilyId.parse(text(object, RowFields.FAMILY_ID)),
              text(object, RowFields.PARTITIONER),
              text(object, RowFields.COMPARATOR),
              object.has(RowFields.SUBCOMPARATOR) ? text(object, RowFields.SUBCOMPARATOR) : "");
      superFamily = !heading.subcomparator().isEmpty();
      return heading;
    } catch (IllegalArgumentException invalid) {
      throw new BadLineException(String.valueOf(invalid.getMessage()), invalid);
    }
  }

  /** The next line with a row; empty lines are passed over. */
  Optional<RowLine> row() throws IOException, BadLineException {
    String next = next();
    while (next != null && next.isBlank()) {
      next = next();
    }
    if (next == null) {
      return Optional.empty();
    }
    JsonObject object = object(next);
    require(object, ROW);
    boolean continued = object.has(RowFields.CONTINUED);
    if (continued && (object.has(RowFields.DELETED) || object.has(RowFields.OPEN))) {
      throw new BadLineException("a line that goes on with a row has no deletion of the row");
    }
    List<Atom> atoms = new ArrayList<>();
    if (!(object.get(RowFields.COLUMNS) instanceof JsonArray columns)) {
      throw new BadLineException("it has no list of columns");
    }
    for (JsonElement each : columns) {
      if (!(each instanceof JsonObject column)) {
        throw new BadLineException("a column is not an object");
      }
      atoms.add(column.has(RowFields.BOUND) ? marker(column) : cell(column));
    }
    return Optional.of(
        new RowLine(
            bytes(object, RowFields.KEY),
            continued,
            deletion(object, RowFields.DELETED),
            deletion(object, RowFields.OPEN),
            atoms));
  }

  private Cell cell(JsonObject column) throws BadLineException {
    require(column, CELL);
    byte[] top = bytes(column, superFamily ? RowFields.SUPER : RowFields.NAME);
    byte[] sub = superFamily ? bytes(column, RowFields.NAME) : null;
    requireStandard(column);
    long timestamp = number(column, RowFields.TIMESTAMP);
    int ends =
        has(column, RowFields.DELETED)
            + has(column, RowFields.EXPIRED)
            + has(column, RowFields.VALUE);
    if (ends != 1) {
      throw new BadLineException("a column has one of value, deleted and expired");
    }
    if (column.has(RowFields.TTL) != column.has(RowFields.EXPIRES)
        || (column.has(RowFields.TTL) && !column.has(RowFields.VALUE))) {
      throw new BadLineException("ttl and expires belong together, and to a value");
    }
    if (column.has(RowFields.DELETED)) {
      return Cell.deleted(top, sub, new DeletionTime(timestamp, number(column, RowFields.DELETED)));
    }
    if (column.has(RowFields.EXPIRED)) {
      return Cell.expired(top, sub, timestamp, number(column, RowFields.EXPIRED));
    }
    byte[] value = bytes(column, RowFields.VALUE);
    if (!column.has(RowFields.TTL)) {
      return Cell.live(top, sub, value, timestamp);
    }
    long ttl = number(column, RowFields.TTL);
    if (ttl < 1 || ttl > Integer.MAX_VALUE) {
      throw new BadLineException("ttl is from 1 to " + Integer.MAX_VALUE + " seconds; got " + ttl);
    }
    return Cell.expiring(top, sub, value, timestamp, (int) ttl, number(column, RowFields.EXPIRES));
  }

  private RangeTombstoneMarker marker(JsonObject column) throws BadLineException {
    require(column, MARKER);
    requireStandard(column);
    String side = text(column, RowFields.BOUND);
    DeletionTime ends = deletion(column, RowFields.ENDS);
    DeletionTime begins = deletion(column, RowFields.BEGINS);
    if (side.equals(RowFields.END)) {
      return new RangeTombstoneMarker(Bound.END, ends, begins);
    }
    byte[] top = bytes(column, superFamily ? RowFields.SUPER : RowFields.NAME);
    byte[] sub = superFamily && column.has(RowFields.NAME) ? bytes(column, RowFields.NAME) : null;
    Bound bound =
        switch (side) {
          case RowFields.BEFORE -> Bound.before(top, sub);
          case RowFields.AFTER -> Bound.after(top, sub);
          default -> throw new BadLineException("bound is before, after or end; got " + side);
        };
    return new RangeTombstoneMarker(bound, ends, begins);
  }

  private void requireStandard(JsonObject column) throws BadLineException {
    if (!superFamily && column.has(RowFields.SUPER)) {
      throw new BadLineException("a Standard family has no super columns");
    }
  }

  private static DeletionTime deletion(JsonObject object, String field) throws BadLineException {
    if (!object.has(field)) {
      return DeletionTime.NONE;
    }
    if (!(object.get(field) instanceof JsonObject deletion)) {
      throw new BadLineException(field + " is an object with timestamp and at");
    }
    require(deletion, DELETION);
    return new DeletionTime(number(deletion, RowFields.TIMESTAMP), number(deletion, RowFields.AT));
  }

  private static int has(JsonObject object, String field) {
    return object.has(field) ? 1 : 0;
  }

  private static void require(JsonObject object, Set<String> known) throws BadLineException {
    for (String name : object.keySet()) {
      if (!known.contains(name)) {
        throw new BadLineException("there is no field '" + name + "'");
      }
    }
  }

  private static byte[] bytes(JsonObject object, String field) throws BadLineException {
    JsonElement value = object.get(field);
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      try {
        ByteBuffer encoded =
            StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(primitive.getAsString()));
        byte[] exact = new byte[encoded.remaining()];
        encoded.get(exact);
        return exact;
      } catch (CharacterCodingException halves) {
        throw new BadLineException(field + " has half of a surrogate pair", halves);
      }
    }
    if (value instanceof JsonObject wrapped && wrapped.keySet().equals(Set.of(BytesField.BASE64))) {
      try {
        return Base64.getDecoder().decode(text(wrapped, BytesField.BASE64));
      } catch (IllegalArgumentException invalid) {
        throw new BadLineException(field + " is not base64: " + invalid.getMessage(), invalid);
      }
    }
    throw new BadLineException(
        value == null
            ? "it has no " + field
            : field + " is text, or an object with the field " + BytesField.BASE64);
  }

  private static String text(JsonObject object, String field) throws BadLineException {
    if (object.get(field) instanceof JsonPrimitive primitive && !primitive.isBoolean()) {
      return primitive.getAsString();
    }
    throw new BadLineException(object.has(field) ? field + " is text" : "it has no " + field);
  }

  private static long number(JsonObject object, String field) throws BadLineException {
    String text = text(object, field);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException invalid) {
      throw new BadLineException(field + " is a whole number; got " + text, invalid);
    }
  }

  private static JsonObject object(String line) throws BadLineException {
    try {
      if (GSON.fromJson(line, JsonElement.class) instanceof JsonObject object) {
        return object;
      }
    } catch (JsonParseException e) {
      throw new BadLineException("it is not JSON: " + e.getMessage(), e);
    }
    throw new BadLineException("it is not an object of JSON");
  }

  /** The next line without its end; null at the end of the file. */
  private @Nullable String next() throws IOException, BadLineException {
    text.setLength(0);
    int c = in.read();
    if (c < 0) {
      return null;
    }
    line++;
    for (; c >= 0 && c != '\n'; c = in.read()) {
      if (text.length() == LINE_CHARACTERS_MAX) {
        throw new BadLineException("it is longer than " + LINE_CHARACTERS_MAX + " characters");
      }
      text.append((char) c);
    }
    return text.toString();
  }
}
