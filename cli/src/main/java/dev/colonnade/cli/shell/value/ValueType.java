package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Literal;

/**
 * What the names, keys or values of a place are. Empty bytes are valid in every type: they are the
 * open end of a slice, and an empty value. Immutable, thread-safe.
 *
 * <p>A literal {@code 0x…} is those bytes. A function, {@code long(5)}, is what its type makes of
 * its argument; of {@code bytes('00ff')} the argument is hexadecimal. Text and numbers are read as
 * the type says; in BytesType they are UTF-8. The first and the second are refused where their
 * bytes are not valid.
 */
public interface ValueType {

  /** As the schema names it, {@code UTF8Type}. */
  String name();

  /**
   * The bytes that a literal is, where the place is not the end of a slice.
   *
   * @throws LiteralException if the type has no such value
   */
  default byte[] bytes(Literal literal) throws LiteralException {
    return bytes(literal, Edge.FIRST);
  }

  /**
   * The bytes that a literal is.
   *
   * @param edge which of the values that it can stand for
   * @throws LiteralException if the type has no such value
   */
  byte[] bytes(Literal literal, Edge edge) throws LiteralException;

  /** Whether bytes are a value of this type. */
  boolean isValid(byte[] bytes);

  /** The value; bytes that are not valid as {@code 0x…}. */
  Shown shown(byte[] bytes);

  /** The text of {@link #shown}. */
  default String show(byte[] bytes) {
    return shown(bytes).text();
  }
}
