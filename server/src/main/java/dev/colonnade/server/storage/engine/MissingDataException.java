package dev.colonnade.server.storage.engine;

import java.io.IOException;

/**
 * The requested data may have been in a damaged file that is in quarantine, so any answer could be
 * wrong.
 */
public final class MissingDataException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String path;
  private final long offset;

  private MissingDataException(String path, long offset, String message) {
    super(message);
    this.path = path;
    this.offset = offset;
  }

  static MissingDataException ofDataFile(String path, long offset) {
    return new MissingDataException(
        path,
        offset,
        "the data file "
            + path
            + " is damaged at byte "
            + offset
            + " and in quarantine, and may hold the requested data; an operator must restore the"
            + " file or accept the loss");
  }

  static MissingDataException ofRecords(String path, long records) {
    return new MissingDataException(
        path,
        0,
        records
            + " writes that could not be applied are set aside in "
            + path
            + ", and may concern the requested data; an operator must apply them again or accept"
            + " the loss");
  }

  /** Where the damaged file lies, or will lie once it is moved. */
  public String path() {
    return path;
  }

  /** Where in it the damage is, in bytes from its start. */
  public long offset() {
    return offset;
  }
}
