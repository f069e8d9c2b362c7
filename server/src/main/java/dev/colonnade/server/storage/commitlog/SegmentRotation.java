package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segment being written, the next one that is ready to follow it, and the earlier ones that are
 * not durable yet.
 *
 * <p>{@link #advance} belongs to the one thread that appends. {@link #prepare}, {@link #sync} and
 * {@link #close} wait for the disk, and the caller must ensure that only one of them runs at a
 * time.
 */
final class SegmentRotation {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRotation.class);

  private final FileSystem files;
  private final LiveSegments segments;
  private final SegmentInventory inventory;
  private final Queue<SegmentWriter> left = new ConcurrentLinkedQueue<>();
  private volatile SegmentWriter active;
  private volatile @Nullable SegmentWriter ready;

  SegmentRotation(
      FileSystem files, LiveSegments segments, SegmentInventory inventory, SegmentWriter active) {
    this.files = files;
    this.segments = segments;
    this.inventory = inventory;
    this.active = active;
  }

  /** The segment being written. */
  SegmentWriter active() {
    return active;
  }

  /** Whether the next segment exists. */
  boolean isReady() {
    return ready != null;
  }

  /**
   * Continues in the next segment, without waiting for the disk.
   *
   * @return false if it does not exist
   */
  boolean advance() {
    SegmentWriter next = ready;
    if (next == null) {
      return false;
    }
    SegmentWriter before = active;
    next.follow(before.size());
    // Added first: a thread that syncs the next segment must find this one.
    left.add(before);
    segments.add(next.number(), next.size());
    active = next;
    ready = null;
    return true;
  }

  /**
   * Creates the next segment if it does not exist, but only after everything before the current one
   * is durable: a reader relies on that.
   *
   * @throws LogRefusedException if there is no room for it, or no descriptor; it can be tried again
   */
  void prepare() throws IOException {
    if (ready == null) {
      syncLeft();
      SegmentWriter next =
          SegmentWriter.create(
              files, SegmentFormat.Chain.ahead(active.number(), active.previousEnd()));
      inventory.made(next.number());
      ready = next;
    }
  }

  /**
   * Makes everything durable that was written before the call, older segments first.
   *
   * @return how many files had to be synced
   */
  int sync() throws IOException {
    // Read before the others are: all that this one follows is among them.
    SegmentWriter segment = active;
    int synced = syncLeft();
    if (segment.synced() < segment.size()) {
      segment.sync();
      synced++;
    }
    return synced;
  }

  private int syncLeft() throws IOException {
    int synced = 0;
    for (SegmentWriter segment = left.peek(); segment != null; segment = left.peek()) {
      if (segment.synced() < segment.size()) {
        segment.sync();
        synced++;
      }
      seal(segment);
      segments.complete(segment.number());
      left.remove();
    }
    return synced;
  }

  /** The next segment records the end of this one, so a seal that fails is not missed. */
  private void seal(SegmentWriter segment) {
    try {
      segment.seal();
    } catch (IOException e) {
      LOG.warn(
          "could not seal {}; all its records are durable",
          files.describe(SegmentFormat.name(segment.number())),
          e);
    }
  }

  /** Cuts off, durably, what a failed write left in the segment being written. */
  void undo() throws IOException {
    // What is durable in it must be durable in those before it.
    syncLeft();
    active.undo();
  }

  /**
   * Makes everything durable, seals the current segment, and deletes the one created in advance.
   */
  void close() throws IOException {
    try {
      syncLeft();
      active.sealAndSync();
      if (active.isBegun()) {
        segments.complete(active.number());
      }
    } finally {
      closeFiles();
    }
    SegmentWriter unused = ready;
    if (unused != null) {
      inventory.ends(unused.number() - 1);
      files.delete(SegmentFormat.name(unused.number()));
    }
  }

  /** Closes the files as they are. */
  void closeFiles() throws IOException {
    SegmentWriter unused = ready;
    try {
      for (SegmentWriter segment = left.poll(); segment != null; segment = left.poll()) {
        segment.close();
      }
    } finally {
      try {
        active.close();
      } finally {
        if (unused != null) {
          unused.close();
        }
      }
    }
  }
}
