package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The running compactions of one family. No two share a file.
 *
 * <p>A few run side by side regardless of size; further ones begin only if they are less than half
 * as large as the smallest running one. So a large compaction, which may take hours, does not hold
 * up the many small ones that keep the number of files low, and the number of compactions grows
 * with the logarithm of a file's size at most.
 *
 * <p>Thread-safe.
 */
final class RunningMerges {

  /** How many compactions run side by side regardless of size. */
  private static final int SIDE_BY_SIDE = 3;

  private record RunningMerge(Set<SSTable> files, long bytes) {}

  private final List<RunningMerge> running = new ArrayList<>();

  /**
   * Begins a compaction; null if it shares a file with a running one, or has to wait for its turn.
   */
  synchronized @Nullable Claim begin(Collection<SSTable> files) {
    long bytes = bytesOf(files);
    boolean isOneOfFew =
        running.size() < SIDE_BY_SIDE
            || running.stream().allMatch(other -> bytes < other.bytes() / 2);
    if (!isOneOfFew || running.stream().anyMatch(other -> sharesFile(other, files))) {
      return null;
    }
    return take(files, bytes);
  }

  /** Begins a compaction if no other one runs, so that it can have all files; else null. */
  synchronized @Nullable Claim beginAlone(Collection<SSTable> files) {
    return running.isEmpty() ? take(files, bytesOf(files)) : null;
  }

  private Claim take(Collection<SSTable> files, long bytes) {
    RunningMerge begun = new RunningMerge(new HashSet<>(files), bytes);
    Claim claim = Claim.of(() -> end(begun));
    running.add(begun);
    return claim;
  }

  private synchronized void end(RunningMerge ended) {
    running.remove(ended);
  }

  private static long bytesOf(Collection<SSTable> files) {
    return files.stream().mapToLong(table -> table.stats().dataBytes()).sum();
  }

  private static boolean sharesFile(RunningMerge merge, Collection<SSTable> files) {
    return files.stream().anyMatch(merge.files()::contains);
  }

  /** The files of all running compactions. */
  synchronized Set<SSTable> files() {
    Set<SSTable> files = new HashSet<>();
    running.forEach(merge -> files.addAll(merge.files()));
    return files;
  }

  /** The files of each running compaction. */
  synchronized List<Set<SSTable>> inputs() {
    return running.stream().map(RunningMerge::files).toList();
  }

  /** How many compactions run. */
  synchronized int count() {
    return running.size();
  }
}
