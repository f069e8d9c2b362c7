package dev.colonnade.server.base.codec;

/** A file in a format version newer than this program knows. Its bytes are sound. */
public final class FormatTooNewException extends UnreadableFileException {
  private static final long serialVersionUID = 1L;

  private final int found;
  private final int newest;

  /**
   * Names the versions.
   *
   * @param path the file, as a person would look for it
   * @param found the version in its header
   * @param newest the newest version this program reads
   */
  public FormatTooNewException(String path, int found, int newest) {
    super(
        path,
        path
            + " has format version "
            + found
            + ", expected "
            + newest
            + " or older. It was written by a newer release; start that one. Nothing was changed.");
    this.found = found;
    this.newest = newest;
  }

  /** The version in the file's header. */
  public int found() {
    return found;
  }

  /** The newest version this program reads. */
  public int newest() {
    return newest;
  }
}
