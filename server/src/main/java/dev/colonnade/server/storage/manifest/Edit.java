package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One change of one family's live set, applied as a whole or not at all.
 *
 * @param family whose files
 * @param added files that become live; their generations are new
 * @param removed generations that are live and stop being so
 * @param flushedUpTo the log position up to which, inclusive, everything of the family is now in
 *     its files
 * @param drop whether the family is gone: then nothing is added, and nothing remains
 * @param quarantined files that are set aside, with what is known of them: damaged ones out of
 *     {@code removed}, and files of records that could not be applied, which were never live
 * @param released generations that are in quarantine and stop being so
 */
public record Edit(
    FamilyId family,
    List<ManifestFile> added,
    List<Long> removed,
    Optional<LogPosition> flushedUpTo,
    boolean drop,
    List<ManifestFile> quarantined,
    List<Long> released) {

  /** Copies the lists. */
  public Edit {
    added = List.copyOf(added);
    removed = List.copyOf(removed);
    quarantined = List.copyOf(quarantined);
    released = List.copyOf(released);
    boolean carries =
        !(added.isEmpty() && removed.isEmpty() && quarantined.isEmpty() && released.isEmpty());
    if (drop && (carries || flushedUpTo.isPresent())) {
      throw new IllegalArgumentException("a drop carries nothing else");
    }
  }

  private static Edit of(
      FamilyId family,
      List<ManifestFile> added,
      List<Long> removed,
      Optional<LogPosition> flushedUpTo) {
    return new Edit(family, added, removed, flushedUpTo, false, List.of(), List.of());
  }

  /** A memtable was flushed to a file; or to none, if nothing of it was worth keeping. */
  public static Edit flush(FamilyId family, List<ManifestFile> added, LogPosition flushedUpTo) {
    return of(family, added, List.of(), Optional.of(flushedUpTo));
  }

  /** Files were compacted into others. */
  public static Edit replace(FamilyId family, List<ManifestFile> added, List<Long> removed) {
    return of(family, added, removed, Optional.empty());
  }

  /** All data of the family is gone, also what is in the log up to {@code upTo}. */
  public static Edit truncate(FamilyState state, LogPosition upTo) {
    List<Long> all = new ArrayList<>(state.files().keySet());
    List<Long> released = new ArrayList<>(state.quarantined().keySet());
    return new Edit(state.family(), List.of(), all, Optional.of(upTo), false, List.of(), released);
  }

  /**
   * A live file is damaged: it is live no more, and its content is missing until it is released.
   */
  public static Edit quarantine(FamilyId family, ManifestFile damaged) {
    return new Edit(
        family,
        List.of(),
        List.of(damaged.generation()),
        Optional.empty(),
        false,
        List.of(damaged),
        List.of());
  }

  /** Records that could not be applied are in a file of their own: their content is missing. */
  public static Edit setAside(FamilyId family, ManifestFile records) {
    return new Edit(
        family, List.of(), List.of(), Optional.empty(), false, List.of(records), List.of());
  }

  /** The loss of a quarantined file's content is accepted: nothing is missing any more. */
  public static Edit giveUp(FamilyId family, long generation) {
    return new Edit(
        family, List.of(), List.of(), Optional.empty(), false, List.of(), List.of(generation));
  }

  /** A quarantined file has turned out to be sound, and is live again. */
  public static Edit reinstate(FamilyId family, ManifestFile file) {
    return new Edit(
        family,
        List.of(file),
        List.of(),
        Optional.empty(),
        false,
        List.of(),
        List.of(file.generation()));
  }

  /**
   * What was sound of a quarantined file is in a new file, if anything was: that is live, and
   * nothing is missing any more.
   */
  public static Edit salvage(FamilyId family, long damaged, Optional<ManifestFile> salvaged) {
    return new Edit(
        family,
        salvaged.stream().toList(),
        List.of(),
        Optional.empty(),
        false,
        List.of(),
        List.of(damaged));
  }

  /** The family was dropped. */
  public static Edit drop(FamilyId family) {
    return new Edit(family, List.of(), List.of(), Optional.empty(), true, List.of(), List.of());
  }
}
