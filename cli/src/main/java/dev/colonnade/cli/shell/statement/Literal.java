package dev.colonnade.cli.shell.statement;

import java.util.Optional;

/** A key, name or value as written. What bytes it is depends on the type of where it stands. */
public sealed interface Literal {

  /** Where it begins. */
  Position position();

  /**
   * Text in quotes, with escapes resolved, or a bare word.
   *
   * @param quoted false for a bare word, which is taken as if it were in quotes
   */
  record Text(Position position, String text, boolean quoted) implements Literal {}

  /**
   * A number without quotes.
   *
   * @param digits as written, perhaps with a sign, a fraction, or an exponent
   */
  record Numeral(Position position, String digits) implements Literal {}

  /**
   * Bytes, written as {@code 0x…}.
   *
   * @param digits pairs of hexadecimal digits, without the prefix; empty for no bytes
   */
  record Hex(Position position, String digits) implements Literal {}

  /**
   * A value with its type, {@code long(5)}, or a made one, {@code timeuuid()}.
   *
   * @param function as written, such as {@code long}; case does not matter
   */
  record Typed(Position position, String function, Optional<Literal> argument) implements Literal {}
}
