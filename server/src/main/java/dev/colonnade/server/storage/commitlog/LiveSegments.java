package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the segments, and for each the families with unflushed records and where their last one
 * is. Thread-safe; only {@link #deleteUnneeded} waits for the disk, and no other method waits for
 * it.
 *
 * <p>Segments are deleted oldest first only, so the chain from the oldest to the newest never has a
 * gap.
 */
final class LiveSegments {
  private final FileSystem files;
  private final SegmentInventory inventory;
  private final ArrayDeque<LiveSegment> entries = new ArrayDeque<>();

  /** Held while segments are deleted: one at a time, oldest first. */
  private final Object deleting = new Object();

  LiveSegments(FileSystem files, SegmentInventory inventory) {
    this.files = files;
    this.inventory = inventory;
  }

  /** One segment. */
  private static final class LiveSegment {
    private final long number;
    private long bytes;

    /** For each family with unflushed records here, where the last of them begins. */
    private final Map<FamilyId, Long> unflushed = new HashMap<>();

    LiveSegment(long number, long bytes) {
      this.number = number;
      this.bytes = bytes;
    }
  }

  /** Adds a segment newer than all others. */
  synchronized void add(long number, long bytes) {
    entries.addLast(new LiveSegment(number, bytes));
  }

  /** Records that {@code families} have a record at {@code offset} of the newest segment. */
  synchronized void note(Set<FamilyId> families, long offset) {
    Map<FamilyId, Long> unflushed = entries.getLast().unflushed;
    for (FamilyId family : families) {
      unflushed.put(family, offset);
    }
  }

  synchronized void noteAll(List<? extends LogRecord> records, long[] offsets) {
    for (int i = 0; i < offsets.length; i++) {
      note(records.get(i).families(), offsets[i]);
    }
  }

  synchronized void size(long bytes) {
    entries.getLast().bytes = bytes;
  }

  synchronized void flushed(FamilyId family, LogPosition position) {
    for (LiveSegment entry : entries) {
      Long last = entry.unflushed.get(family);
      if (last != null && new LogPosition(entry.number, last).compareTo(position) <= 0) {
        entry.unflushed.remove(family);
      }
    }
  }

  synchronized void dropped(FamilyId family) {
    entries.forEach(entry -> entry.unflushed.remove(family));
  }

  /**
   * Deletes the oldest segments that no family needs, excluding the newest. One that cannot be
   * deleted is tried again the next time.
   */
  void deleteUnneeded() throws IOException {
    synchronized (deleting) {
      inventory.begins(oldestNeeded());
      for (LiveSegment oldest = unneeded(); oldest != null; oldest = unneeded()) {
        // More segments may have become unneeded meanwhile.
        inventory.begins(oldest.number + 1);
        String name = SegmentFormat.name(oldest.number);
        if (files.exists(name)) {
          files.delete(name);
        }
        files.syncDirectory("");
        removeOldest();
      }
    }
  }

  /** The number of the first segment that must stay. */
  private synchronized long oldestNeeded() {
    for (LiveSegment oldestFirst : entries) {
      if (!oldestFirst.unflushed.isEmpty()) {
        return oldestFirst.number;
      }
    }
    return entries.getLast().number;
  }

  private synchronized @Nullable LiveSegment unneeded() {
    LiveSegment oldest = entries.getFirst();
    return entries.size() > 1 && oldest.unflushed.isEmpty() ? oldest : null;
  }

  private synchronized void removeOldest() {
    entries.removeFirst();
  }

  synchronized Set<FamilyId> familiesPinningOldest() {
    for (LiveSegment oldestFirst : entries) {
      if (!oldestFirst.unflushed.isEmpty()) {
        return new TreeSet<>(oldestFirst.unflushed.keySet());
      }
    }
    return Set.of();
  }

  synchronized int count() {
    return entries.size();
  }

  synchronized long bytes() {
    return entries.stream().mapToLong(entry -> entry.bytes).sum();
  }
}
