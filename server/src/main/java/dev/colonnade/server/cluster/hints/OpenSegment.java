package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.storage.record.FrameWriter;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.List;

/** The segment being written. Used on the stage of hints only. */
final class OpenSegment {
  private final HintFormat.HintSegmentHeader header;
  private final FrameWriter frames;
  private final long start;
  private HintFormat.Summary summary = HintFormat.Summary.EMPTY;

  private OpenSegment(HintFormat.HintSegmentHeader header, WritableFile file) {
    this.header = header;
    this.frames = new FrameWriter(file, header.number());
    this.start = file.size();
  }

  /** A hint to be written. */
  interface Content {
    long createdMicros();

    byte[] encoded();
  }

  /**
   * Creates a segment with a header and a durable name. It appears under its name only when its
   * header is complete. The target's directory exists.
   */
  static OpenSegment create(FileSystem files, HintFormat.HintSegmentHeader header)
      throws IOException {
    String directory = HintFormat.directory(header.targetId());
    String temporary = HintFormat.path(header.targetId(), HintFormat.TEMPORARY);
    ByteWriter out = new ByteWriter(128);
    header.write(out);
    WritableFile file = FrameWriter.begin(files, temporary, out);
    try {
      files.rename(temporary, HintFormat.segmentPath(header.targetId(), header.number()));
      files.syncDirectory(directory);
      return new OpenSegment(header, file);
    } catch (IOException | RuntimeException | Error e) {
      FrameWriter.closeAfter(e, file);
      throw e;
    }
  }

  long number() {
    return header.number();
  }

  long size() {
    return frames.size();
  }

  HintFormat.Summary summary() {
    return summary;
  }

  boolean isSynced() {
    return frames.synced() == frames.size();
  }

  /** An upper bound of the bytes that this many hints take. */
  static long frameBytes(int hints, long encodedBytes) {
    return Frames.MARK_BYTES + (long) hints * (Frames.FRAME_BYTES + Long.BYTES) + encodedBytes;
  }

  /**
   * Writes the hints in one write; the operating system has them when it returns.
   *
   * @param buffer to work in
   * @throws NoSpaceException if there is no room. Nothing of them is left in the file then, and
   *     further writes are possible.
   * @throws IOException after which no further write is possible
   */
  void append(List<? extends Content> hints, ByteWriter buffer) throws IOException {
    FrameWriter.prepare(buffer);
    long[] offsets = new long[hints.size()];
    HintFormat.Summary after = summary;
    for (int i = 0; i < offsets.length; i++) {
      Content hint = hints.get(i);
      int frame = buffer.reserve(Frames.FRAME_BYTES);
      buffer.array()[frame + 8] = Frames.RECORD;
      buffer.writeLong(hint.createdMicros());
      buffer.writeRaw(hint.encoded());
      offsets[i] = frame;
      after = after.with(hint.createdMicros());
    }
    try {
      frames.write(buffer, offsets);
    } catch (NoSpaceException full) {
      frames.undo();
      throw full;
    }
    summary = after;
  }

  /** Makes all that was written durable. After a failure no further write is possible. */
  void sync() throws IOException {
    if (!isSynced()) {
      frames.sync();
    }
  }

  /** Records in the file that it ends here; all of it is durable when it returns. */
  ClosedSegment close() throws IOException {
    try (frames) {
      sync();
      ByteWriter out = new ByteWriter(64);
      summary.write(out);
      frames.end(out);
      frames.syncEnd();
      return new ClosedSegment(
          number(), start, frames.size(), frames.size(), frames.fileBytes(), summary);
    }
  }

  /** Closes the file as it is, because of a failure: only what was synced is sound. */
  ClosedSegment abandonAfter(Throwable failure) {
    FrameWriter.closeAfter(failure, frames);
    return new ClosedSegment(
        number(), start, frames.synced(), frames.size(), frames.size(), summary);
  }
}
