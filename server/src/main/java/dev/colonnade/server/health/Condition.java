package dev.colonnade.server.health;

import java.util.Locale;

/**
 * What can be wrong with a node, by the part that finds out. A part that watches several things
 * raises its condition once for each, told apart by their subject.
 */
public enum Condition {
  /** It has not taken its place yet. Subject: none. */
  STARTING,
  /** It is being stopped, or cannot keep its place in the cluster. Subject: none. */
  STOPPING,
  /** It has left the ring for good. Subject: none. */
  LEFT,
  /** It was drained, to be stopped. Subject: none. */
  DRAINED,
  /** It stood still and has not heard of the ring since. Subject: none. */
  BEHIND,
  /** Its commit log failed. Subject: none. */
  COMMIT_LOG,
  /** The list of its live data files failed. Subject: none. */
  MANIFEST,
  /** A disk reads or writes with errors. Subject: {@code data} or {@code commitlog}. */
  DISK,
  /** Memtables cannot be written to data files. Subject: the family. */
  FLUSH,
  /** Something that should move stands still. Subject: what, as {@code stage READ}. */
  STALLED,
  /** Memory of one kind is nearly gone. Subject: {@code heap}, {@code direct}. */
  MEMORY,
  /** Data files are in quarantine. Subject: the family. */
  DAMAGED_FILES,
  /** Records that could not be applied were set aside. Subject: the family. */
  SET_ASIDE_RECORDS,
  /** Nodes say of their places on the ring what cannot be. Subject: none. */
  RING;

  /** The name in messages and metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
