package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.client.Serializer;
import java.util.HexFormat;
import java.util.function.Function;

/** A type whose bytes are those of a serializer. */
final class SerializedType<T> implements ValueType {

  /** Reads what stands in a statement; throws {@link IllegalArgumentException} if it cannot. */
  interface Reading<T> {
    T of(String text, Edge edge);
  }

  /** What a function of the language is, {@code long(5)}. */
  interface Functions {
    byte[] call(Literal.Typed call, Edge edge) throws LiteralException;
  }

  /** What bytes begin with, as text. */
  static final String HEX_PREFIX = "0x";

  private static final int MAX_CLIPPED = 60;
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] EMPTY = {};

  private final String name;
  private final String wants;
  private final Serializer<T> serializer;
  private final Reading<T> reading;
  private final Function<T, Shown> showing;
  private final Functions functions;

  /**
   * @param wants what a value of the type is, for messages
   * @param showing throws {@link IllegalArgumentException} for what is better shown as bytes
   */
  SerializedType(
      String name,
      String wants,
      Serializer<T> serializer,
      Reading<T> reading,
      Function<T, Shown> showing,
      Functions functions) {
    this.name = name;
    this.wants = wants;
    this.serializer = serializer;
    this.reading = reading;
    this.showing = showing;
    this.functions = functions;
  }

  /** The same type under another name. */
  SerializedType<T> named(String other) {
    return new SerializedType<>(other, wants, serializer, reading, showing, functions);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public byte[] bytes(Literal literal, Edge edge) throws LiteralException {
    if (literal instanceof Literal.Text text) {
      return read(literal, text.text(), edge);
    }
    if (literal instanceof Literal.Numeral numeral) {
      return read(literal, numeral.digits(), edge);
    }
    byte[] bytes =
        literal instanceof Literal.Typed call
            ? functions.call(call, edge)
            : HEX.parseHex(((Literal.Hex) literal).digits());
    if (!isValid(bytes)) {
      String what = clipped(hex(bytes));
      if (literal instanceof Literal.Typed call) {
        what = call.function() + "(…) is " + what + ", which";
      }
      throw new LiteralException(
          literal.position(), what + " does not fit " + name + ": expected " + wants);
    }
    return bytes;
  }

  private byte[] read(Literal literal, String text, Edge edge) throws LiteralException {
    if (text.isEmpty()) {
      return EMPTY.clone();
    }
    try {
      return serializer.toBytes(reading.of(text, edge));
    } catch (IllegalArgumentException e) {
      LiteralException failure =
          new LiteralException(
              literal.position(),
              "'" + clipped(text) + "' does not fit " + name + ": expected " + wants);
      failure.initCause(e);
      throw failure;
    }
  }

  @Override
  public boolean isValid(byte[] bytes) {
    if (bytes.length == 0) {
      return true;
    }
    try {
      serializer.fromBytes(bytes);
      return true;
    } catch (IllegalArgumentException e) {
      // This is how serializers tell.
      return false;
    }
  }

  @Override
  public Shown shown(byte[] bytes) {
    if (bytes.length == 0) {
      return new Shown("", Shown.Form.TEXT);
    }
    try {
      return showing.apply(serializer.fromBytes(bytes));
    } catch (IllegalArgumentException e) {
      return new Shown(hex(bytes), Shown.Form.HEX);
    }
  }

  static String hex(byte[] bytes) {
    return HEX_PREFIX + HEX.formatHex(bytes);
  }

  private static String clipped(String text) {
    return text.length() <= MAX_CLIPPED ? text : text.substring(0, MAX_CLIPPED) + "…";
  }

  @Override
  public String toString() {
    return name;
  }
}
