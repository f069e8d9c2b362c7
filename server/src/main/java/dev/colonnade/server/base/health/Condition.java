package dev.colonnade.server.base.health;

import java.util.Locale;

/**
 * What can be wrong with a node, by the part that detects it. A part that watches several things
 * raises its condition once for each, distinguished by their subject.
 */
public enum Condition {
  /** It has not taken its place in the ring yet. Subject: none. */
  STARTING,
  /** It is being stopped, or cannot keep its place in the cluster. Subject: none. */
  STOPPING,
  /** It has left the ring for good. Subject: none. */
  LEFT,
  /** It was drained before a shutdown. Subject: none. */
  DRAINED,
  /** It was paused and has not heard of the ring since. Subject: none. */
  BEHIND,
  /** Its commit log failed. Subject: none. */
  COMMIT_LOG,
  /** Its manifest failed. Subject: none. */
  MANIFEST,
  /** A disk reads or writes with errors. Subject: {@code data} or {@code commitlog}. */
  DISK,
  /** Memtables cannot be written to data files. Subject: the family. */
  FLUSH,
  /** Data files cannot be merged. Subject: the family. */
  MERGE,
  /** Hints cannot be delivered to a node that is up. Subject: the node. */
  HINTS,
  /** Something that should make progress is stalled. Subject: what, as {@code stage READ}. */
  STALLED,
  /** Memory of one kind is nearly gone. Subject: {@code heap}, {@code direct}. */
  MEMORY,
  /** Data files are in quarantine. Subject: the family. */
  DAMAGED_FILES,
  /** Records that could not be applied were set aside. Subject: the family. */
  SET_ASIDE_RECORDS,
  /**
   * A list of revoked certificates cannot be used or has expired, or has the node's own
   * certificate. Subject: {@code nodes} or {@code clients}.
   */
  REVOCATIONS,
  /** The clock differs too much from those of the other nodes. Subject: none. */
  CLOCK,
  /** Nodes announce contradictory places on the ring. Subject: none. */
  RING;

  /** The name in messages and metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
