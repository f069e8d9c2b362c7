package dev.colonnade.server.base.codec;

/** A file whose bytes are damaged or missing. Its content must not be served. */
public final class CorruptFileException extends UnreadableFileException {
  private static final long serialVersionUID = 1L;

  private final long offset;
  private final String expected;
  private final String found;

  /**
   * Describes the damage.
   *
   * @param path the file, as a person would look for it
   * @param offset in bytes from the file's start
   * @param expected what should have stood there
   * @param found what stands there
   */
  public CorruptFileException(String path, long offset, String expected, String found) {
    super(
        path,
        path
            + " is damaged at byte "
            + offset
            + ": expected "
            + expected
            + ", found "
            + found
            + ". Its contents are not used; restore the file or let a replica repair what it held.");
    this.offset = offset;
    this.expected = expected;
    this.found = found;
  }

  /** Bytes from the file's start. */
  public long offset() {
    return offset;
  }

  /** What should have stood there. */
  public String expected() {
    return expected;
  }

  /** What stands there. */
  public String found() {
    return found;
  }
}
