package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.commitlog.FoundSegments.SegmentFound;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/**
 * Replays one segment.
 *
 * <p>If a segment may be torn, bytes that are no valid frame may come from a write that never
 * completed. They do, unless a sync mark or seal after them proves that they were synced once.
 */
final class SegmentReader {
  private final ReadableFile file;
  private final FrameReader frames;
  private final String path;
  private final long segment;
  private final SegmentBounds bounds;

  private long offset;
  private long records;
  private boolean sealed;

  /**
   * The part of the file to read.
   *
   * @param start where the first frame begins
   * @param end where the valid bytes end, according to the next segment, or the file's size if none
   *     says
   * @param size the file's; less than {@code end} only if the file may be torn
   * @param mayBeTorn whether some of its bytes may never have been synced
   */
  record SegmentBounds(long start, long end, long size, boolean mayBeTorn) {
    private long readable() {
      return Math.min(end, size);
    }
  }

  /** Creates a reader from the first frame on. */
  private SegmentReader(ReadableFile file, String path, long segment, SegmentBounds bounds) {
    this.file = file;
    this.frames = framesUpTo(file, segment, bounds, bounds.readable());
    this.path = path;
    this.segment = segment;
    this.offset = bounds.start();
    this.bounds = bounds;
  }

  /** Creates a reader of a whole segment. */
  static SegmentReader of(
      FileSystem files, SegmentFound segment, ReadableFile file, long end, boolean mayBeTorn) {
    return new SegmentReader(
        file,
        files.describe(segment.name()),
        segment.number(),
        new SegmentBounds(segment.headerBytes(), end, segment.size(), mayBeTorn));
  }

  private static FrameReader framesUpTo(
      ReadableFile file, long segment, SegmentBounds bounds, long limit) {
    return new FrameReader(
        file, segment, bounds.start(), limit, CommitLogSettings.LARGEST_RECORD_BYTES);
  }

  /** Takes what {@link LogReplay} returned, with the record's offset. */
  interface Families extends ObjLongConsumer<Set<FamilyId>> {}

  /**
   * Passes every record to {@code replay}.
   *
   * @return where the valid frames end
   */
  long replay(LogReplay replay, Families families) throws IOException {
    long end = bounds.end();
    while (offset < end && !sealed) {
      if (!frames.isFrame(offset)) {
        if (!bounds.mayBeTorn()) {
          throw damaged("a frame before byte " + end + ", where the next segment goes on");
        }
        refuseIfSynced();
        return offset;
      }
      take(replay, families);
      offset += frames.frameBytes();
    }
    if (sealed && offset < end) {
      throw damaged("the end of the segment after its seal");
    }
    return offset;
  }

  long records() {
    return records;
  }

  /** Whether the last of the frames that were read is a seal. */
  boolean isSealed() {
    return sealed;
  }

  private void take(LogReplay replay, Families families) throws IOException {
    if (frames.kind() == Frames.RECORD) {
      LogPosition position = new LogPosition(segment, offset);
      try {
        families.accept(replay.record(position, frames.payload()), offset);
      } catch (CorruptDataException e) {
        throw e.inFile(path, offset + Frames.FRAME_BYTES);
      }
      records++;
    } else {
      sealed = frames.kind() == Frames.SEAL;
    }
  }

  private void refuseIfSynced() throws IOException {
    long proof = framesUpTo(file, segment, bounds, bounds.size()).proofOfSync(offset);
    if (proof >= 0) {
      throw damaged("a frame, since byte " + proof + " says that this was synced");
    }
  }

  /** The error that says what was expected where reading ended. */
  CorruptFileException damaged(String expected) {
    return new CorruptFileException(path, offset, expected, "other bytes");
  }
}
