package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.FoundSegments.SegmentFound;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Replays the segments of earlier runs, oldest first, and begins a new one. */
final class LogOpening {
  private final FileSystem files;
  private final SegmentInventory inventory;
  private final LiveSegments segments;
  private final FoundSegments found;
  private final ChainReplay replay;

  private LogOpening(
      FileSystem files,
      SegmentInventory inventory,
      Optional<LogArchive> archive,
      FoundSegments found,
      LogReplay replay) {
    this.files = files;
    this.inventory = inventory;
    this.segments = new LiveSegments(files, inventory, archive);
    this.found = found;
    this.replay = new ChainReplay(files, found, replay, segments);
  }

  static CommitLog open(
      FileSystem files,
      SegmentInventory inventory,
      CommitLogSettings settings,
      LogPosition flushedUpTo,
      Optional<LogArchive> archive,
      LogReplay replay)
      throws IOException {
    FoundSegments found = FoundSegments.in(files);
    inventory.requireAll(files, found);
    LogOpening opening = new LogOpening(files, inventory, archive, found, replay);
    opening.settle();
    opening.replay.run();
    SegmentRotation rotation = opening.begin(flushedUpTo);
    return new CommitLog(files, settings, opening.segments, opening.replay.recovery(), rotation);
  }

  /**
   * Continues in a new segment, whose header records where the replayed data ends: from then on
   * everything behind that is obsolete, and can be deleted.
   */
  private SegmentRotation begin(LogPosition flushedUpTo) throws IOException {
    if (files.exists(SegmentFormat.NEW_SEGMENT)) {
      files.delete(SegmentFormat.NEW_SEGMENT);
    }
    int replayed = replay.replayed();
    long previous = replayed == 0 ? 0 : found.chain().get(replayed - 1).number();
    long number = Math.max(found.greatestNumber(), flushedUpTo.segment()) + 1;
    SegmentWriter active =
        SegmentWriter.create(files, SegmentFormat.Chain.after(number, previous, replay.lastEnd()));
    try {
      // All that was replayed is durable, and the next header says where it ends.
      segments.completeAll();
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
    leftOver.addAll(found.chain().subList(replay.replayed(), found.chain().size()));
    for (SegmentFound segment : leftOver) {
      files.delete(segment.name());
    }
    if (!leftOver.isEmpty()) {
      files.syncDirectory("");
    }
    segments.archiveAndDelete();
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
      SegmentReader reader = SegmentReader.of(files, segment, file, segment.size(), true);
      long unused = reader.replay((position, payload) -> Set.of(), (families, offset) -> {});
      return reader.isSealed();
    }
  }
}
