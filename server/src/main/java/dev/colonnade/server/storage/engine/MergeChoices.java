package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.schema.FamilyOptions;
import dev.colonnade.server.storage.compaction.SizeTieredPolicy;
import dev.colonnade.server.storage.compaction.SizeTieredPolicy.Candidate;
import dev.colonnade.server.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chooses the files of a family to compact: those that the policy chooses among the sound ones.
 * Remembers damaged files, and files that a compaction of their own could not make smaller.
 *
 * <p>Thread-safe.
 */
final class MergeChoices {

  private final Clock clock;
  private final Set<SSTable> damaged = ConcurrentHashMap.newKeySet();
  private final Set<SSTable> notShrinkable = ConcurrentHashMap.newKeySet();

  MergeChoices(Clock clock) {
    this.clock = clock;
  }

  /**
   * Returns what could be compacted now, the most urgent first; nothing while compaction is
   * switched off.
   *
   * @param taken files that are being compacted already
   */
  List<List<SSTable>> of(ColumnFamilyStore store, Set<SSTable> taken) {
    FamilyOptions options = store.definition().options();
    if (options.maxCompactionThreshold() == 0) {
      return List.of();
    }
    List<List<SSTable>> choices = new ArrayList<>();
    for (List<Candidate> chosen : policy(options).choose(candidates(store, taken))) {
      choices.add(tables(store, chosen));
    }
    return choices;
  }

  /**
   * Returns how many compactions will follow those that run until none is due, if nothing is
   * written meanwhile.
   *
   * @param running the files of each running compaction
   */
  int left(ColumnFamilyStore store, List<Set<SSTable>> running) {
    FamilyOptions options = store.definition().options();
    if (options.maxCompactionThreshold() == 0) {
      return 0;
    }
    Set<SSTable> taken = new HashSet<>();
    running.forEach(taken::addAll);
    List<Candidate> files = candidates(store, taken);
    for (Set<SSTable> inputs : running) {
      files.add(SizeTieredPolicy.merged(inputs.stream().map(MergeChoices::plain).toList()));
    }
    return policy(options).compactionsLeft(files);
  }

  private static Candidate plain(SSTable table) {
    return new Candidate(table.identity().generation(), table.stats().dataBytes(), 0, true);
  }

  /** The file is damaged: no compaction reads it again. */
  void damaged(SSTable table) {
    damaged.add(table);
  }

  /** Compacting the file alone again would gain nothing. */
  void notShrinkable(SSTable table) {
    notShrinkable.add(table);
  }

  /** The files no longer exist. */
  void forget(Collection<SSTable> tables) {
    damaged.removeAll(tables);
    notShrinkable.removeAll(tables);
  }

  private static SizeTieredPolicy policy(FamilyOptions options) {
    SizeTieredPolicy base = SizeTieredPolicy.DEFAULT;
    int least = Math.max(2, options.minCompactionThreshold());
    return new SizeTieredPolicy(
        least,
        Math.max(least, options.maxCompactionThreshold()),
        base.bucketLow(),
        base.bucketHigh(),
        base.tinyBytes(),
        base.droppableShare());
  }

  private List<Candidate> candidates(ColumnFamilyStore store, Set<SSTable> taken) {
    long now = clock.wallSeconds();
    long grace = store.definition().options().gcGraceSeconds();
    List<SSTable> tables = store.view().tables();
    List<Candidate> candidates = new ArrayList<>();
    for (SSTable table : tables) {
      if (!damaged.contains(table) && !taken.contains(table)) {
        candidates.add(
            new Candidate(
                table.identity().generation(),
                table.stats().dataBytes(),
                notShrinkable.contains(table) ? 0 : table.stats().droppableShare(now, grace),
                tables.stream().anyMatch(other -> other != table && overlap(table, other))));
      }
    }
    return candidates;
  }

  private static boolean overlap(SSTable a, SSTable b) {
    return a.firstKey().compareTo(b.lastKey()) <= 0 && b.firstKey().compareTo(a.lastKey()) <= 0;
  }

  private static List<SSTable> tables(ColumnFamilyStore store, List<Candidate> chosen) {
    List<SSTable> tables = new ArrayList<>();
    for (SSTable table : store.view().tables()) {
      long generation = table.identity().generation();
      if (chosen.stream().anyMatch(candidate -> candidate.generation() == generation)) {
        tables.add(table);
      }
    }
    return tables;
  }
}
