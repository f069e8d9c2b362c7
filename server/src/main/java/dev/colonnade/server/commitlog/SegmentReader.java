package dev.colonnade.server.commitlog;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.Checksums;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.env.FileSystem.ReadableFile;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/**
 * Replays one segment. Reads it through a window that grows to the largest record and no further.
 *
 * <p>In the last segment, bytes that are no frame can be a write that never completed. They are,
 * unless a sync mark or seal after them proves that they had once been synced.
 */
final class SegmentReader {
  private static final int WINDOW_BYTES = 1 << 18;

  private final ReadableFile file;
  private final String path;
  private final long segment;
  private final long end;
  private final boolean last;
  private final Checksums.Running checksum = new Checksums.Running();

  private byte[] window;
  private long windowStart;
  private int windowLength;

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
    this.file = file;
    this.path = path;
    this.segment = segment;
    this.offset = start;
    this.end = end;
    this.last = last;
    this.window =
        new byte[(int) Math.min(WINDOW_BYTES, Math.max(SegmentFormat.MARK_BYTES, end - start))];
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
      int payload = frameAt(offset, end);
      if (payload < 0) {
        if (!last) {
          throw damaged(offset, "a frame before byte " + end + ", where the next segment goes on");
        }
        refuseIfSynced();
        return offset;
      }
      take(payload, replay, families);
      offset += SegmentFormat.FRAME_BYTES + payload;
    }
    if (sealed && offset < end) {
      throw damaged(offset, "the end of the segment after its seal");
    }
    return offset;
  }

  long records() {
    return records;
  }

  private void take(int payload, LogReplay replay, Families families) throws IOException {
    int frame = (int) (offset - windowStart);
    byte kind = window[frame + 8];
    if (kind == SegmentFormat.RECORD) {
      ByteReader reader = new ByteReader(window, frame + SegmentFormat.FRAME_BYTES, payload);
      try {
        families.accept(replay.record(new LogPosition(segment, offset), reader), offset);
      } catch (CorruptDataException e) {
        throw e.inFile(path, offset + SegmentFormat.FRAME_BYTES);
      }
      records++;
    } else {
      sealed = kind == SegmentFormat.SEAL;
    }
  }

  /**
   * The payload length of a valid frame at {@code at}, which then is in the window; or -1.
   *
   * @param limit where it must have ended
   */
  private int frameAt(long at, long limit) throws IOException {
    if (limit - at < SegmentFormat.FRAME_BYTES) {
      return -1;
    }
    fill(at, SegmentFormat.FRAME_BYTES);
    int frame = (int) (at - windowStart);
    ByteReader head = new ByteReader(window, frame, SegmentFormat.FRAME_BYTES);
    int expected = head.readInt();
    int payload = head.readInt();
    int kind = head.readByte();
    if (payload < 0
        || payload > CommitLogSettings.LARGEST_RECORD_BYTES
        || payload > limit - at - SegmentFormat.FRAME_BYTES
        || kind < SegmentFormat.RECORD
        || kind > SegmentFormat.SEAL
        || (kind != SegmentFormat.RECORD && payload != 8)) {
      return -1;
    }
    fill(at, SegmentFormat.FRAME_BYTES + payload);
    frame = (int) (at - windowStart);
    int found = SegmentFormat.checksum(checksum, window, frame, payload, segment, at);
    return found == expected ? payload : -1;
  }

  /** Looks for proof, anywhere behind the damage, that it had been synced. */
  private void refuseIfSynced() throws IOException {
    for (long at = offset + 1; at <= end - SegmentFormat.MARK_BYTES; at++) {
      if (looksLikeMark(at) && frameAt(at, end) == 8) {
        int frame = (int) (at - windowStart);
        long synced = new ByteReader(window, frame + SegmentFormat.FRAME_BYTES, 8).readLong();
        if (synced > offset) {
          throw damaged(
              offset,
              "a frame, since byte " + at + " says that all before " + synced + " was synced");
        }
      }
    }
  }

  private boolean looksLikeMark(long at) throws IOException {
    fill(at, SegmentFormat.MARK_BYTES);
    int frame = (int) (at - windowStart);
    byte kind = window[frame + 8];
    return (kind == SegmentFormat.SYNC_MARK || kind == SegmentFormat.SEAL)
        && window[frame + 4] == 0
        && window[frame + 5] == 0
        && window[frame + 6] == 0
        && window[frame + 7] == 8;
  }

  /** Brings {@code length} bytes at {@code at} into the window; the file has them. */
  private void fill(long at, int length) throws IOException {
    if (at >= windowStart && at + length <= windowStart + windowLength) {
      return;
    }
    if (length > window.length) {
      window = new byte[length];
    }
    windowLength = (int) Math.min(window.length, end - at);
    windowStart = at;
    file.read(at, ByteBuffer.wrap(window, 0, windowLength));
  }

  private CorruptFileException damaged(long at, String expected) {
    return new CorruptFileException(path, at, expected, "other bytes");
  }
}
