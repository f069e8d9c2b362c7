package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one column family consists of at one moment. Immutable: each change makes a new version.
 *
 * @param active takes the writes
 * @param flushing memtables that are being flushed, oldest first
 * @param tables the live data files, the one with the newest timestamp first
 * @param quarantined damaged files, whose contents are missing
 */
record FamilyVersion(
    Memtable active, List<Flushing> flushing, List<SSTable> tables, List<Quarantined> quarantined) {

  private static final Comparator<SSTable> NEWEST_FIRST =
      Comparator.comparingLong((SSTable table) -> table.stats().maxTimestamp()).reversed();

  /**
   * A memtable that takes no more writes.
   *
   * @param upTo everything of the family up to this log position is in it or in a file
   */
  record Flushing(Memtable memtable, LogPosition upTo, FlushReason reason, FlushOutcome outcome) {}

  FamilyVersion {
    flushing = List.copyOf(flushing);
    tables = tables.stream().sorted(NEWEST_FIRST).toList();
    quarantined = List.copyOf(quarantined);
  }

  /** Makes the active memtable a flushing one. */
  FamilyVersion switched(Memtable fresh, LogPosition upTo, FlushReason reason) {
    List<Flushing> all = new ArrayList<>(flushing);
    all.add(new Flushing(active, upTo, reason, new FlushOutcome()));
    return new FamilyVersion(fresh, all, tables, quarantined);
  }

  /** Replaces a flushing memtable by its file, or by nothing if it held nothing. */
  FamilyVersion flushed(Flushing memtable, List<SSTable> written) {
    List<Flushing> rest = new ArrayList<>(flushing);
    rest.remove(memtable);
    List<SSTable> all = new ArrayList<>(tables);
    all.addAll(written);
    return new FamilyVersion(active, rest, all, quarantined);
  }

  /** Replaces compacted files by their outputs. */
  FamilyVersion compacted(Set<SSTable> inputs, List<SSTable> outputs) {
    List<SSTable> all = new ArrayList<>(tables);
    all.removeIf(inputs::contains);
    all.addAll(outputs);
    return new FamilyVersion(active, flushing, all, quarantined);
  }

  /** Removes a damaged file from the live ones. */
  FamilyVersion without(SSTable table, Quarantined damaged) {
    List<SSTable> rest = new ArrayList<>(tables);
    rest.remove(table);
    List<Quarantined> all = new ArrayList<>(quarantined);
    all.add(damaged);
    return new FamilyVersion(active, flushing, rest, all);
  }

  /** Adds a file of records that could not be applied. */
  FamilyVersion withSetAside(Quarantined records) {
    List<Quarantined> all = new ArrayList<>(quarantined);
    all.add(records);
    return new FamilyVersion(active, flushing, tables, all);
  }

  /** Accepts the loss of what that file held. */
  FamilyVersion givenUp(long generation) {
    List<Quarantined> rest = new ArrayList<>(quarantined);
    rest.removeIf(file -> file.place().generation() == generation);
    return new FamilyVersion(active, flushing, tables, rest);
  }

  /** Removes these memtables and all files. */
  FamilyVersion truncated(Collection<Flushing> memtables) {
    List<Flushing> rest = new ArrayList<>(flushing);
    rest.removeIf(memtables::contains);
    return new FamilyVersion(active, rest, List.of(), List.of());
  }

  /** Replaces all memtables by an empty one. */
  FamilyVersion purgeableIn(Memtable fresh) {
    return new FamilyVersion(fresh, List.of(), tables, quarantined);
  }

  /** Refuses to go on if a quarantined file may hold rows of a range. */
  void requireNothingMissing(RowKey start, Optional<RowKey> end) throws MissingDataException {
    for (Quarantined file : quarantined) {
      if (file.mayMissWithin(start, end)) {
        throw file.missing();
      }
    }
  }

  /** Heap of all memtables. */
  long memtableBytes() {
    long bytes = active.heapBytes();
    for (Flushing memtable : flushing) {
      bytes += memtable.memtable().heapBytes();
    }
    return bytes;
  }
}
