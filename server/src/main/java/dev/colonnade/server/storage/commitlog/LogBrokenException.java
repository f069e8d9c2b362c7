package dev.colonnade.server.storage.commitlog;

import java.io.IOException;

/**
 * A write or sync of the log failed, now or before. The log accepts nothing any more, and the node
 * must stop accepting writes.
 */
public final class LogBrokenException extends IOException {
  private static final long serialVersionUID = 1L;

  LogBrokenException(String segment, IOException cause) {
    super(
        "the commit log cannot be trusted since an operation on "
            + segment
            + " failed ("
            + cause.getMessage()
            + "); nothing more is written. Acknowledged writes are kept. Check the disk, then"
            + " restart the node.",
        cause);
  }
}
