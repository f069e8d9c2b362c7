package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive hints of a segment.
 *
 * @param next where the one after them begins
 * @param isLast whether none follows
 */
record HintBatch(List<Hint> hints, long next, boolean isLast) {

  /**
   * Reads from a segment.
   *
   * @param from where a frame begins
   * @param bytesMax after this many bytes no further hint is read
   * @throws CorruptFileException if the segment is damaged there
   */
  static HintBatch read(
      FileSystem files, String path, ClosedSegment segment, long from, int bytesMax, int hintsMax)
      throws IOException {
    List<Hint> hints = new ArrayList<>();
    long at = from;
    try (ReadableFile file = files.open(path)) {
      if (file.size() < segment.end()) {
        throw damaged(files, path, file.size(), "frames up to byte " + segment.end());
      }
      FrameReader frames = reader(file, segment.number(), from, segment.end());
      while (at < segment.end() && at - from < bytesMax && hints.size() < hintsMax) {
        if (!frames.isFrame(at)) {
          if (at < segment.soundEnd()) {
            throw damaged(files, path, at, "a frame");
          }
          return new HintBatch(hints, at, true);
        }
        if (frames.kind() == Frames.RECORD) {
          hints.add(hint(files, path, at, frames));
        }
        at += frames.frameBytes();
      }
    }
    return new HintBatch(hints, at, at >= segment.end());
  }

  static FrameReader reader(ReadableFile file, long number, long start, long end) {
    return new FrameReader(file, number, start, end, HintSettings.LARGEST_HINT_BYTES);
  }

  private static Hint hint(FileSystem files, String path, long at, FrameReader frames)
      throws CorruptFileException {
    try {
      ByteReader payload = frames.payload();
      long createdMicros = payload.readLong();
      byte[] encoded = payload.readRaw(payload.remaining());
      return new Hint(createdMicros, encoded, MutationCodec.readStamped(new ByteReader(encoded)));
    } catch (CorruptDataException e) {
      throw e.inFile(files.describe(path), at + Frames.FRAME_BYTES);
    }
  }

  private static CorruptFileException damaged(
      FileSystem files, String path, long at, String expected) {
    return new CorruptFileException(files.describe(path), at, expected, "other bytes");
  }

  /**
   * A write that its target missed.
   *
   * @param createdMicros when it was kept, by this node's wall clock
   * @param encoded the mutation as it stands in the segment
   * @param mutation the same, decoded
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Hint(long createdMicros, byte[] encoded, Mutation mutation) {

    /** The age of the write, in whole seconds; it can be older than the hint. */
    long ageSeconds(long nowSeconds) {
      return nowSeconds - Math.min(mutation.nowSeconds(), Math.floorDiv(createdMicros, 1_000_000L));
    }
  }
}
