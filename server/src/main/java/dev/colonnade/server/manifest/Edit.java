package dev.colonnade.server.manifest;

import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One change of one family's live set, which happens as a whole or not at all.
 *
 * @param family whose files
 * @param added files that become live; their generations are new
 * @param removed generations that are live and stop being so
 * @param flushedUpTo the log position up to which, inclusive, everything of the family is now in
 *     its files
 * @param drop whether the family is gone: then nothing is added, and nothing remains
 */
public record Edit(
    FamilyId family,
    List<LiveFile> added,
    List<Long> removed,
    Optional<LogPosition> flushedUpTo,
    boolean drop) {

  /** Copies the lists. */
  public Edit {
    added = List.copyOf(added);
    removed = List.copyOf(removed);
    if (drop && !(added.isEmpty() && removed.isEmpty() && flushedUpTo.isEmpty())) {
      throw new IllegalArgumentException("a drop carries nothing else");
    }
  }

  /** A memtable has become a file; or none, if nothing of it was worth keeping. */
  public static Edit flush(FamilyId family, List<LiveFile> added, LogPosition flushedUpTo) {
    return new Edit(family, added, List.of(), Optional.of(flushedUpTo), false);
  }

  /** Files were merged into others. */
  public static Edit replace(FamilyId family, List<LiveFile> added, List<Long> removed) {
    return new Edit(family, added, removed, Optional.empty(), false);
  }

  /** All that the family had is gone, also what is in the log up to {@code upTo}. */
  public static Edit truncate(FamilyState state, LogPosition upTo) {
    List<Long> all = new ArrayList<>(state.files().keySet());
    return new Edit(state.family(), List.of(), all, Optional.of(upTo), false);
  }

  /** The family does not exist any more. */
  public static Edit drop(FamilyId family) {
    return new Edit(family, List.of(), List.of(), Optional.empty(), true);
  }
}
