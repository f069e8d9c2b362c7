package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The live set of one family.
 *
 * @param files by generation; unmodifiable
 * @param flushedUpTo log records of the family at or before this are in the files, or gone by
 *     truncation
 * @param nextGeneration greater than every generation so far
 * @param quarantined damaged files by generation, not live, whose contents are missing;
 *     unmodifiable
 */
public record FamilyState(
    FamilyId family,
    SortedMap<Long, ManifestFile> files,
    LogPosition flushedUpTo,
    long nextGeneration,
    SortedMap<Long, ManifestFile> quarantined) {

  /** Copies the maps. */
  public FamilyState {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
    quarantined = Collections.unmodifiableSortedMap(new TreeMap<>(quarantined));
  }

  /** Returns the state of a family that never had a file. */
  public static FamilyState empty(FamilyId family) {
    return new FamilyState(family, new TreeMap<>(), LogPosition.START, 1, new TreeMap<>());
  }

  /**
   * The state after {@code edit}.
   *
   * @throws IllegalArgumentException if the edit does not fit this state
   */
  FamilyState after(Edit edit) {
    TreeMap<Long, ManifestFile> after = new TreeMap<>(files);
    for (long generation : edit.removed()) {
      if (after.remove(generation) == null) {
        throw new IllegalArgumentException(
            "file " + generation + " of family " + family + " is removed but not live");
      }
    }
    TreeMap<Long, ManifestFile> quarantinedAfter = quarantinedAfter(edit);
    long next = nextGeneration;
    for (ManifestFile file : edit.added()) {
      // Not in order: a compaction takes its number when it begins, and flushes that began later
      // overtake it.
      if (files.containsKey(file.generation())
          || after.containsKey(file.generation())
          || quarantinedAfter.containsKey(file.generation())) {
        throw new IllegalArgumentException(
            "file "
                + file.generation()
                + " of family "
                + family
                + " is added, but its number is in use");
      }
      after.put(file.generation(), file);
      next = Math.max(next, file.generation() + 1);
    }
    for (ManifestFile file : edit.quarantined()) {
      next = Math.max(next, file.generation() + 1);
    }
    LogPosition flushed = edit.flushedUpTo().orElse(flushedUpTo);
    if (flushed.isBefore(flushedUpTo)) {
      throw new IllegalArgumentException(
          "family "
              + family
              + " was flushed up to "
              + flushedUpTo
              + " and cannot go back to "
              + flushed);
    }
    return new FamilyState(family, after, flushed, next, quarantinedAfter);
  }

  private TreeMap<Long, ManifestFile> quarantinedAfter(Edit edit) {
    TreeMap<Long, ManifestFile> after = new TreeMap<>(quarantined);
    for (long generation : edit.released()) {
      if (after.remove(generation) == null) {
        throw new IllegalArgumentException(
            "file " + generation + " of family " + family + " is released but not in quarantine");
      }
    }
    for (ManifestFile file : edit.quarantined()) {
      boolean wasLive = edit.removed().contains(file.generation());
      if (!wasLive
          && (files.containsKey(file.generation()) || after.containsKey(file.generation()))) {
        throw new IllegalArgumentException(
            "file " + file.generation() + " of family " + family + " is in quarantine and in use");
      }
      after.put(file.generation(), file);
    }
    return after;
  }
}
