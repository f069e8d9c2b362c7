package dev.colonnade.cli.shell.value;

/**
 * Bytes as a person or a program reads them.
 *
 * @param text for people as it is; it may hold any character, and must be escaped before it is
 *     printed on a terminal
 */
public record Shown(String text, Form form) {

  /** What the text is. */
  public enum Form {
    /** Text, or what is exact as a text only, such as a 64-bit number: in JSON a string. */
    TEXT,
    /** A number that no reader of JSON rounds, or true or false: in JSON without quotes. */
    PLAIN,
    /** {@code 0x} and hexadecimal digits: bytes without a type, or not valid for theirs. */
    HEX
  }
}
