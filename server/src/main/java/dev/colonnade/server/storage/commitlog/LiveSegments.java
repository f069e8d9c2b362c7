package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the segments, and for each the families with unflushed records and where their last one
 * is. Thread-safe; only the methods that archive or delete wait for the disk, and no other method
 * waits for them.
 *
 * <p>Segments are deleted oldest first only, so the chain from the oldest to the newest never has a
 * gap. Where there is an archive, none is deleted before it is there, unless too many wait for it.
 */
final class LiveSegments implements ChainReplay.Holders {
  private final FileSystem files;
  private final SegmentInventory inventory;
  private final Optional<LogArchive> archive;
  private final ArrayDeque<LiveSegment> entries = new ArrayDeque<>();

  /** Held while segments are deleted: one at a time, oldest first. */
  private final Object deleting = new Object();

  /** Held while segments are archived; an archive that hangs does not keep others from deleting. */
  private final Object archiving = new Object();

  LiveSegments(FileSystem files, SegmentInventory inventory, Optional<LogArchive> archive) {
    this.files = files;
    this.inventory = inventory;
    this.archive = archive;
  }

  /** One segment. */
  private static final class LiveSegment {
    private final long number;
    private long bytes;

    /** Whether it is durable, and nothing is written to it any more. */
    private boolean complete;

    /** Whether it is archived, or given up. */
    private boolean archived;

    /** For each family with unflushed records here, where the last of them begins. */
    private final Map<FamilyId, Long> unflushed = new HashMap<>();

    LiveSegment(long number, long bytes) {
      this.number = number;
      this.bytes = bytes;
    }
  }

  /** Adds a segment newer than all others. */
  @Override
  public synchronized void add(long number, long bytes) {
    entries.addLast(new LiveSegment(number, bytes));
  }

  /** Records that {@code families} have a record at {@code offset} of the newest segment. */
  @Override
  public synchronized void note(Set<FamilyId> families, long offset) {
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

  /** A segment is durable, and nothing will be written to it any more. */
  synchronized void complete(long number) {
    for (LiveSegment entry : entries) {
      entry.complete |= entry.number == number;
    }
  }

  /** All segments are. */
  synchronized void completeAll() {
    entries.forEach(entry -> entry.complete = true);
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
      archive.ifPresent(this::giveUpOldest);
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

  /** Archives what it can, and deletes the segments that nothing keeps any more. */
  void archiveAndDelete() throws IOException {
    archiveComplete();
    deleteUnneeded();
  }

  /** Archives the complete segments, oldest first, up to the first that cannot be archived now. */
  void archiveComplete() {
    if (archive.isEmpty()) {
      return;
    }
    synchronized (archiving) {
      boolean taken = true;
      for (LiveSegment next = toArchive(); taken && next != null; next = toArchive()) {
        taken = archive.get().take(files, next.number);
        if (taken) {
          archived(next);
        }
      }
    }
  }

  private synchronized @Nullable LiveSegment toArchive() {
    for (LiveSegment oldestFirst : entries) {
      if (oldestFirst.complete && !oldestFirst.archived) {
        return oldestFirst;
      }
    }
    return null;
  }

  private synchronized void archived(LiveSegment segment) {
    segment.archived = true;
  }

  /** Keeps no more bytes for the archive than it may have waiting. */
  private void giveUpOldest(LogArchive unreachable) {
    while (waitingBytes() > unreachable.waitingBytesMax()) {
      LiveSegment oldest = firstWaiting();
      if (oldest == null) {
        return;
      }
      archived(oldest);
      unreachable.gap(oldest.number);
    }
  }

  private synchronized @Nullable LiveSegment firstWaiting() {
    LiveSegment oldest = entries.getFirst();
    return oldest.archived ? null : oldest;
  }

  /** Bytes of the segments that would be deleted if they were archived. */
  private synchronized long waitingBytes() {
    long bytes = 0;
    for (LiveSegment oldestFirst : entries) {
      if (!oldestFirst.unflushed.isEmpty() || oldestFirst == entries.getLast()) {
        break;
      }
      bytes += oldestFirst.bytes;
    }
    return archive.isPresent() ? bytes : 0;
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
    boolean kept = !oldest.unflushed.isEmpty() || (archive.isPresent() && !oldest.archived);
    return entries.size() > 1 && !kept ? oldest : null;
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

  /** Bytes of the segments that are there for more than the archive. */
  synchronized long neededBytes() {
    return bytes() - waitingBytes();
  }

  LogFigures.Archive archiveFigures() {
    return archive
        .map(there -> there.figures(waitingBytes()))
        .orElse(new LogFigures.Archive(0, 0, 0, 0));
  }
}
