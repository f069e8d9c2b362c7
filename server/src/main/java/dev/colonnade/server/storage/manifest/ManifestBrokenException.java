package dev.colonnade.server.storage.manifest;

import java.io.IOException;

/**
 * A write or sync of the manifest failed, now or before. The live set can no longer change; the
 * node must stop.
 */
public final class ManifestBrokenException extends IOException {
  private static final long serialVersionUID = 1L;

  ManifestBrokenException(String path, Throwable cause) {
    super(
        path
            + " cannot be trusted since an operation on it failed ("
            + cause.getMessage()
            + "); no flush or compaction can be completed. Acknowledged writes are in the commit"
            + " log. Check the disk, then restart the node.",
        cause);
  }
}
