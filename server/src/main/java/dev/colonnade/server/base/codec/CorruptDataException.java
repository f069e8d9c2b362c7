package dev.colonnade.server.base.codec;

import java.io.IOException;

/**
 * Bytes that cannot have been written by the code that reads them. {@link #inFile} adds the file
 * once it is known.
 */
public final class CorruptDataException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final long offset;
  private final String expected;
  private final String found;

  /**
   * Describes the damage.
   *
   * @param what what was being read, for instance {@code length of a value}
   * @param offset where it stands, counted from the start of what the reader was given
   * @param expected what would have been right
   * @param found what was there instead
   */
  public CorruptDataException(String what, long offset, String expected, String found) {
    this(
        what,
        offset,
        expected,
        found,
        "damaged bytes at offset "
            + offset
            + ", "
            + what
            + ": expected "
            + expected
            + ", found "
            + found);
  }

  private CorruptDataException(
      String what, long offset, String expected, String found, String message) {
    super(message);
    this.what = what;
    this.offset = offset;
    this.expected = expected;
    this.found = found;
  }

  /**
   * Describes a message of which a part cannot be right. It can be parsed, so there is no offset.
   *
   * @param what the part, for instance {@code the family}
   * @param expected what would have been right
   * @param found what was there instead
   */
  public static CorruptDataException inMessage(String what, String expected, String found) {
    return new CorruptDataException(
        what,
        0,
        expected,
        found,
        "a message with a wrong part, " + what + ": expected " + expected + ", found " + found);
  }

  /** What was being read. */
  public String what() {
    return what;
  }

  /** Where it stands, counted from the start of what the reader was given; 0 in a message. */
  public long offset() {
    return offset;
  }

  /** What would have been right. */
  public String expected() {
    return expected;
  }

  /** What was there instead. */
  public String found() {
    return found;
  }

  /**
   * The same damage, seen as part of a file.
   *
   * @param path the file, as a person would look for it
   * @param baseOffset where in the file the reader's bytes begin
   */
  public CorruptFileException inFile(String path, long baseOffset) {
    CorruptFileException exception =
        new CorruptFileException(path, baseOffset + offset, what + ": " + expected, found);
    exception.initCause(this);
    return exception;
  }
}
