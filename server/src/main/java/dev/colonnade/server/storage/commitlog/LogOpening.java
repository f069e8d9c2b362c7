package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.FoundSegments.SegmentFound;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Replays the segments of earlier runs, oldest first, and begins a new one. */
final class LogOpening {
  private final FileSystem files;
  private final SegmentInventory inventory;
  private final LogReplay replay;
  private final LiveSegments segments;
  private final FoundSegments found;
  private long records;
  private long bytes;
  private long droppedBytes;

  /** How many of the chain hold what was replayed; later ones were never durable. */
  private int replayed;

  private long lastEnd;

  private LogOpening(
      FileSystem files, SegmentInventory inventory, FoundSegments found, LogReplay replay) {
    this.files = files;
    this.inventory = inventory;
    this.replay = replay;
    this.segments = new LiveSegments(files, inventory);
    this.found = found;
  }

  static CommitLog open(
      FileSystem files,
      SegmentInventory inventory,
      CommitLogSettings settings,
      LogPosition flushedUpTo,
      LogReplay replay)
      throws IOException {
    FoundSegments found = FoundSegments.in(files);
    inventory.requireAll(files, found);
    LogOpening opening = new LogOpening(files, inventory, found, replay);
    opening.settle();
    opening.replayAll();
    SegmentRotation rotation = opening.begin(flushedUpTo);
    LogRecovery recovery =
        new LogRecovery(opening.replayed, opening.records, opening.bytes, opening.droppedBytes);
    return new CommitLog(files, settings, opening.segments, recovery, rotation);
  }

  private void replayAll() throws IOException {
    List<SegmentFound> chain = found.chain();
    boolean torn = false;
    for (int i = 0; i < chain.size() && !torn; i++) {
      SegmentFound segment = chain.get(i);
      if (i > 0 && segment.previousEnd() < 0) {
        refuseIfSynced(i, segment);
        torn = true;
      } else {
        torn = !replay(i, segment);
        replayed++;
      }
    }
    for (SegmentFound behind : chain.subList(replayed, chain.size())) {
      droppedBytes += behind.size() - behind.headerBytes();
    }
  }

  /** A segment whose first frame is missing was never begun, or its beginning was never synced. */
  private void refuseIfSynced(int index, SegmentFound segment) throws IOException {
    if (!found.mayBeTorn(index) || found.hasMark(segment)) {
      throw new CorruptFileException(
          files.describe(segment.name()),
          segment.headerBytes(),
          "a frame that says where the segment before it ends",
          "other bytes");
    }
  }

  /** Returns false if nothing can follow what was replayed. */
  private boolean replay(int index, SegmentFound segment) throws IOException {
    long end = found.endOf(index);
    boolean mayBeTorn = found.mayBeTorn(index);
    segments.add(segment.number(), segment.size());
    try (ReadableFile file = files.open(segment.name())) {
      SegmentReader reader = reader(segment, file, end, mayBeTorn);
      long validEnd = reader.replay(replay, segments::note);
      if (validEnd < end && found.isProvenByTheNext(index)) {
        throw reader.damaged("a frame, since the next segment says that this was synced");
      }
      records += reader.records();
      bytes += validEnd - segment.headerBytes();
      droppedBytes += Math.max(0, Math.min(end, segment.size()) - validEnd);
      // The next segment relies on the records alone: the sync of the seal may have failed.
      lastEnd = reader.isSealed() ? validEnd - Frames.MARK_BYTES : validEnd;
      return validEnd == end;
    }
  }

  private SegmentReader reader(
      SegmentFound segment, ReadableFile file, long end, boolean mayBeTorn) {
    return new SegmentReader(
        file,
        files.describe(segment.name()),
        segment.number(),
        new SegmentReader.SegmentBounds(segment.headerBytes(), end, segment.size(), mayBeTorn));
  }

  /**
   * Continues in a new segment, whose header records where the replayed data ends: from then on
   * everything behind that is obsolete, and can be deleted.
   */
  private SegmentRotation begin(LogPosition flushedUpTo) throws IOException {
    if (files.exists(SegmentFormat.NEW_SEGMENT)) {
      files.delete(SegmentFormat.NEW_SEGMENT);
    }
    long previous = replayed == 0 ? 0 : found.chain().get(replayed - 1).number();
    long number = Math.max(found.greatestNumber(), flushedUpTo.segment()) + 1;
    SegmentWriter active =
        SegmentWriter.create(files, SegmentFormat.Chain.after(number, previous, lastEnd));
    try {
      segments.add(number, active.size());
      inventory.has(replayed == 0 ? number : found.chain().get(0).number(), number);
      deleteUnneeded();
      SegmentRotation rotation = new SegmentRotation(files, segments, inventory, active);
      rotation.prepare();
      return rotation;
    } catch (IOException e) {
      // A node does not start on a disk on which it can neither create nor delete files.
      active.abandonAfter(e);
      throw e;
    }
  }

  private void deleteUnneeded() throws IOException {
    List<SegmentFound> leftOver = new ArrayList<>(found.leftOut());
    leftOver.addAll(found.chain().subList(replayed, found.chain().size()));
    for (SegmentFound segment : leftOver) {
      files.delete(segment.name());
    }
    if (!leftOver.isEmpty()) {
      files.syncDirectory("");
    }
    segments.deleteUnneeded();
  }

  /**
   * Rewrites what was replayed so that it is durable. If only the process ended, the last bytes may
   * still be in the page cache alone. Replayed data can be flushed, and the next segment's header
   * will say where this one ends, so the bytes must be durable first. Syncing them is not enough:
   * the sync of an earlier run may have failed, and then the operating system no longer knows that
   * they were never written. A seal comes after a sync that succeeded, and a header that is alone
   * was synced when it was created.
   */
  private void settle() throws IOException {
    for (int i = 0; i < found.chain().size(); i++) {
      SegmentFound segment = found.chain().get(i);
      boolean hasFrames = segment.size() > segment.headerBytes();
      if (found.mayBeTorn(i) && hasFrames && !isSealed(segment)) {
        SegmentCopy.replace(files, segment.name(), segment.size());
      }
    }
    if (!found.chain().isEmpty()) {
      files.syncDirectory("");
    }
  }

  private boolean isSealed(SegmentFound segment) throws IOException {
    long at = segment.size() - Frames.MARK_BYTES;
    if (at < segment.headerBytes()) {
      return false;
    }
    try (ReadableFile file = files.open(segment.name())) {
      FrameReader frames = new FrameReader(file, segment.number(), at, segment.size(), Long.BYTES);
      if (!frames.isFrame(at) || frames.kind() != Frames.SEAL) {
        return false;
      }
      // Bytes written by a client may look like a seal too; the frames before it decide.
      SegmentReader reader = reader(segment, file, segment.size(), true);
      long unused = reader.replay((position, payload) -> Set.of(), (families, offset) -> {});
      return reader.isSealed();
    }
  }
}
