package dev.colonnade.server.commitlog;

import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.codec.FileHeader;
import dev.colonnade.server.codec.FrameReader;
import dev.colonnade.server.codec.Frames;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.FileSystem.ReadableFile;
import dev.colonnade.server.model.LogPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds, checks and replays the segments of earlier runs, oldest first, and begins a new one. */
final class LogOpening {
  private final FileSystem files;
  private final LogReplay replay;
  private final LiveSegments segments;
  private final List<Found> found = new ArrayList<>();
  private long records;
  private long bytes;
  private long droppedBytes;
  private long lastEnd;
  private boolean lastIsSealed;

  private LogOpening(FileSystem files, LogReplay replay) {
    this.files = files;
    this.replay = replay;
    this.segments = new LiveSegments(files);
  }

  /** A segment whose header is sound. */
  private record Found(SegmentFormat.Chain chain, String name, int headerBytes, long size) {}

  static CommitLog open(
      FileSystem files, CommitLogSettings settings, LogPosition flushedUpTo, LogReplay replay)
      throws IOException {
    LogOpening opening = new LogOpening(files, replay);
    opening.find();
    opening.checkChain();
    opening.settleLast();
    opening.replayAll();
    SegmentWriter active = opening.begin(flushedUpTo);
    opening.deleteUnneeded(active);
    LogRecovery recovery =
        new LogRecovery(opening.found.size(), opening.records, opening.bytes, opening.droppedBytes);
    return new CommitLog(files, settings, opening.segments, recovery, active);
  }

  /** A disk on which nothing can be deleted is no disk to start on. */
  private void deleteUnneeded(SegmentWriter active) throws IOException {
    try {
      segments.deleteUnneeded();
    } catch (IOException e) {
      active.abandonAfter(e);
      throw e;
    }
  }

  private void find() throws IOException {
    for (String name : files.list("")) {
      // Names have a fixed width, so the list is in the order of the numbers.
      if (SegmentFormat.number(name).isPresent()) {
        found.add(readHeader(name, SegmentFormat.number(name).get()));
      }
    }
  }

  private Found readHeader(String name, long number) throws IOException {
    String path = files.describe(name);
    try (ReadableFile file = files.open(name)) {
      FileHeader header = FileHeader.read(file, path, SegmentFormat.FORMAT);
      SegmentFormat.Chain chain = SegmentFormat.Chain.read(header, path);
      if (chain.segment() != number) {
        throw new CorruptFileException(
            path, 14, "segment " + number + ", as its name says", "" + chain.segment());
      }
      return new Found(chain, name, header.length(), file.size());
    }
  }

  private void checkChain() throws CorruptFileException {
    for (int i = 1; i < found.size(); i++) {
      Found before = found.get(i - 1);
      Found segment = found.get(i);
      String path = files.describe(segment.name());
      if (segment.chain().previous() != before.chain().segment()) {
        throw new CorruptFileException(
            path,
            22,
            "segment " + segment.chain().previous() + " before it",
            "only " + before.chain().segment() + ": a segment is missing");
      }
      long end = segment.chain().previousEnd();
      if (end < before.headerBytes() || end > before.size()) {
        throw new CorruptFileException(
            files.describe(before.name()),
            before.size(),
            "frames up to byte " + end + ", as the next segment says",
            "a file of " + before.size() + " bytes");
      }
    }
  }

  private void replayAll() throws IOException {
    for (int i = 0; i < found.size(); i++) {
      Found segment = found.get(i);
      boolean last = i == found.size() - 1;
      long end = last ? segment.size() : found.get(i + 1).chain().previousEnd();
      segments.add(segment.chain().segment(), segment.size());
      long validEnd = replay(segment, end, last);
      // Records alone count for the next segment: the sync of the seal may have failed.
      lastEnd = last && lastIsSealed ? validEnd - Frames.MARK_BYTES : validEnd;
      bytes += validEnd - segment.headerBytes();
      droppedBytes = end - validEnd;
    }
  }

  private long replay(Found segment, long end, boolean last) throws IOException {
    try (ReadableFile file = files.open(segment.name())) {
      SegmentReader reader = reader(segment, file, end, last);
      long validEnd = reader.replay(replay, segments::note);
      records += reader.records();
      return validEnd;
    }
  }

  private SegmentReader reader(Found segment, ReadableFile file, long end, boolean last) {
    return new SegmentReader(
        file,
        files.describe(segment.name()),
        segment.chain().segment(),
        segment.headerBytes(),
        end,
        last);
  }

  private SegmentWriter begin(LogPosition flushedUpTo) throws IOException {
    if (files.exists(SegmentFormat.NEW_SEGMENT)) {
      files.delete(SegmentFormat.NEW_SEGMENT);
    }
    long previous = found.isEmpty() ? 0 : found.get(found.size() - 1).chain().segment();
    long number = Math.max(previous, flushedUpTo.segment()) + 1;
    SegmentWriter active =
        SegmentWriter.create(files, new SegmentFormat.Chain(number, previous, lastEnd));
    segments.add(number, active.size());
    return active;
  }

  /**
   * If only the process ended, the last bytes may still be with the system alone. What is replayed
   * can be flushed, and the next segment's header will say where this one ends, so they must be
   * durable first. Syncing them is not enough: the sync of an earlier run may have failed, and then
   * the system no longer knows that they were never written. So they are written once more. A seal
   * comes after a sync that succeeded.
   */
  private void settleLast() throws IOException {
    if (found.isEmpty()) {
      return;
    }
    Found last = found.get(found.size() - 1);
    lastIsSealed = isSealed(last);
    if (!lastIsSealed) {
      SegmentCopy.replace(files, last.name(), last.size());
    }
    files.syncDirectory("");
  }

  private boolean isSealed(Found segment) throws IOException {
    long at = segment.size() - Frames.MARK_BYTES;
    if (at < segment.headerBytes()) {
      return false;
    }
    try (ReadableFile file = files.open(segment.name())) {
      FrameReader frames =
          new FrameReader(file, segment.chain().segment(), at, segment.size(), Long.BYTES);
      if (!frames.isFrame(at) || frames.kind() != Frames.SEAL) {
        return false;
      }
      // What a client has written may look like a seal too; the frames before it tell.
      SegmentReader reader = reader(segment, file, segment.size(), true);
      long unused = reader.replay((position, payload) -> Set.of(), (families, offset) -> {});
      return reader.isSealed();
    }
  }
}
