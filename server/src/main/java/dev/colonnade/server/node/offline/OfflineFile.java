package dev.colonnade.server.node.offline;

import dev.colonnade.server.storage.sstable.SSTableIdentity;

/**
 * A data file in a directory.
 *
 * @param identity how it is opened
 * @param standing what the manifest says of it
 */
public record OfflineFile(SSTableIdentity identity, Standing standing) {

  /** What the manifest says of a file. */
  public enum Standing {
    /** It is live, or there is no manifest. */
    LIVE,
    /** It is live, but not there. */
    MISSING,
    /** It was set aside as damaged; reads of its rows fail. */
    QUARANTINED,
    /** It is there, but not live: unfinished or merged. The next start of the node deletes it. */
    UNLISTED
  }
}
