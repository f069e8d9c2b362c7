package dev.colonnade.server.storage.sstable;

import java.io.IOException;

/**
 * A sound data file belongs to another column family, or was written in another order, than the one
 * it is opened with. Reading it would give wrong answers, so it is refused.
 */
public final class MismatchedFileException extends IOException {
  private static final long serialVersionUID = 1L;

  MismatchedFileException(String path, String what, String expected, String found) {
    super(
        path
            + " was written with "
            + what
            + " \""
            + found
            + "\" but is opened with \""
            + expected
            + "\". It was not read and not changed; open it with the settings it was written with.");
  }
}
