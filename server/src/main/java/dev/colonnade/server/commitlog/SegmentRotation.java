package dev.colonnade.server.commitlog;

import dev.colonnade.server.env.FileSystem;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segment being written, the one that is ready to follow it, and those that were left and are
 * not durable yet.
 *
 * <p>{@link #advance} belongs to the one thread that appends. {@link #prepare}, {@link #sync} and
 * {@link #close} wait for the disk, and whoever calls them sees to it that it is one at a time.
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

  /** Whether the next segment is there. */
  boolean isReady() {
    return ready != null;
  }

  /**
   * Goes on in the next segment, without a look at the disk.
   *
   * @return false if it is not there
   */
  boolean advance() {
    SegmentWriter next = ready;
    if (next == null) {
      return false;
    }
    SegmentWriter before = active;
    next.follow(before.size());
    // First: whoever syncs the next one must find it.
    left.add(before);
    segments.add(next.number(), next.size());
    active = next;
    ready = null;
    return true;
  }

  /**
   * Makes the next segment if it is not there. Not before all that precedes the present one is
   * durable: a reader relies on that.
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
    // Before the others are looked for: all that this one follows is among them.
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
      left.remove();
    }
    return synced;
  }

  /** The next segment names the end of this one, so that a seal which fails is not missed. */
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

  /** Cuts off, durably, what a write that failed has left in the segment being written. */
  void undo() throws IOException {
    // What is durable in it is durable in those before it.
    syncLeft();
    active.undo();
  }

  /** Makes everything durable, says that it ends here, and deletes the segment that none needs. */
  void close() throws IOException {
    try {
      syncLeft();
      active.sealAndSync();
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
