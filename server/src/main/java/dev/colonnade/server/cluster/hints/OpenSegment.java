package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.Frames;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoSpaceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The segment being written. Used on the stage of hints only. */
final class OpenSegment {
  private final HintFormat.Header header;
  private final WritableFile file;
  private final long start;
  private final Checksums.Running checksum = new Checksums.Running();
  private HintFormat.Summary summary = HintFormat.Summary.EMPTY;
  private long size;
  private long synced;
  private long marked;

  private OpenSegment(HintFormat.Header header, WritableFile file) {
    this.header = header;
    this.file = file;
    this.start = file.size();
    this.size = start;
    this.synced = start;
    this.marked = start;
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
  static OpenSegment create(FileSystem files, HintFormat.Header header) throws IOException {
    String directory = HintFormat.directory(header.targetId());
    String temporary = HintFormat.path(header.targetId(), HintFormat.TEMPORARY);
    WritableFile file = AtomicFile.createAnew(files, temporary);
    try {
      ByteWriter out = new ByteWriter(128);
      header.write(out);
      file.write(out.asByteBuffer());
      file.sync();
      files.rename(temporary, HintFormat.segmentPath(header.targetId(), header.number()));
      files.syncDirectory(directory);
      return new OpenSegment(header, file);
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(e, file);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, WritableFile file) {
    try {
      file.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  long number() {
    return header.number();
  }

  long size() {
    return size;
  }

  HintFormat.Summary summary() {
    return summary;
  }

  boolean isSynced() {
    return synced == size;
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
    buffer.reset();
    if (synced > marked) {
      buffer.reserve(Frames.MARK_BYTES);
      Frames.finishMark(checksum, buffer, 0, Frames.SYNC_MARK, synced, number(), size);
    }
    HintFormat.Summary after = summary;
    for (Content hint : hints) {
      int frame = buffer.reserve(Frames.FRAME_BYTES);
      buffer.array()[frame + 8] = Frames.RECORD;
      buffer.writeLong(hint.createdMicros());
      buffer.writeRaw(hint.encoded());
      int payload = buffer.position() - frame - Frames.FRAME_BYTES;
      Frames.finish(checksum, buffer, frame, payload, number(), size + frame);
      after = after.with(hint.createdMicros());
    }
    try {
      file.write(ByteBuffer.wrap(buffer.array(), 0, buffer.position()));
    } catch (NoSpaceException full) {
      file.truncate(size);
      sync();
      throw full;
    }
    size += buffer.position();
    marked = synced;
    summary = after;
  }

  /** Makes all that was written durable. After a failure no further write is possible. */
  void sync() throws IOException {
    if (synced < size) {
      file.sync();
      synced = size;
    }
  }

  /** Records in the file that it ends here; all of it is durable when it returns. */
  ClosedSegment close() throws IOException {
    try (file) {
      sync();
      ByteWriter out = new ByteWriter(64);
      summary.write(out);
      file.write(out.asByteBuffer());
      file.sync();
      return new ClosedSegment(number(), start, size, size, file.size(), summary);
    }
  }

  /** Closes the file as it is, because of a failure: only what was synced is sound. */
  ClosedSegment abandonAfter(Throwable failure) {
    closeAfter(failure, file);
    return new ClosedSegment(number(), start, synced, size, size, summary);
  }
}
