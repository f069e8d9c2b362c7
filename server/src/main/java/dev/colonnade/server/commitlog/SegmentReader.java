package dev.colonnade.server.commitlog;

import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.codec.FrameReader;
import dev.colonnade.server.codec.Frames;
import dev.colonnade.server.env.FileSystem.ReadableFile;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.io.IOException;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/**
 * Replays one segment.
 *
 * <p>In the last segment, bytes that are no frame can be a write that never completed. They are,
 * unless a sync mark or seal after them proves that they had once been synced.
 */
final class SegmentReader {
  private final FrameReader frames;
  private final String path;
  private final long segment;
  private final long end;
  private final boolean last;

  private long offset;
  private long records;
  private boolean sealed;

  /**
   * A reader from the first frame on.
   *
   * @param end where the valid bytes end, as the next segment says, or the file's size if this is
   *     the last one
   */
  SegmentReader(ReadableFile file, String path, long segment, long start, long end, boolean last) {
    this.frames =
        new FrameReader(file, segment, start, end, CommitLogSettings.LARGEST_RECORD_BYTES);
    this.path = path;
    this.segment = segment;
    this.offset = start;
    this.end = end;
    this.last = last;
  }

  /** Takes what {@link LogReplay} answered, with the record's offset. */
  interface Families extends ObjLongConsumer<Set<FamilyId>> {}

  /**
   * Hands every record to {@code replay}.
   *
   * @return where the valid frames end
   */
  long replay(LogReplay replay, Families families) throws IOException {
    while (offset < end && !sealed) {
      if (!frames.isFrame(offset)) {
        if (!last) {
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
    long proof = frames.proofOfSync(offset);
    if (proof >= 0) {
      throw damaged("a frame, since byte " + proof + " says that this was synced");
    }
  }

  private CorruptFileException damaged(String expected) {
    return new CorruptFileException(path, offset, expected, "other bytes");
  }
}
