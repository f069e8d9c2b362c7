package dev.colonnade.server.base.codec;

/** A file in a format version older than this program still reads. Its bytes are sound. */
public final class FormatTooOldException extends UnreadableFileException {
  private static final long serialVersionUID = 1L;

  private final int found;
  private final int oldest;

  /**
   * Names the versions.
   *
   * @param path the file, as a person would look for it
   * @param found the version in its header
   * @param oldest the oldest version this program reads
   */
  public FormatTooOldException(String path, int found, int oldest) {
    super(
        path,
        path
            + " has format version "
            + found
            + ", expected "
            + oldest
            + " or newer. Start the last release that reads it and let that rewrite its files, then upgrade.");
    this.found = found;
    this.oldest = oldest;
  }

  /** The version in the file's header. */
  public int found() {
    return found;
  }

  /** The oldest version this program reads. */
  public int oldest() {
    return oldest;
  }
}
