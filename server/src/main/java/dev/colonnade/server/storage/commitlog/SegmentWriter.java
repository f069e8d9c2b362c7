package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.storage.record.FrameWriter;
import java.io.Closeable;
import java.io.IOException;

/**
 * The segment being written. One thread writes; another may sync meanwhile, but not during {@link
 * #seal}, which the log ensures.
 */
final class SegmentWriter implements Closeable {
  private final SegmentFormat.Chain chain;
  private final FrameWriter frames;
  private boolean empty = true;

  /** Where the segment before this one ends, once that is known. */
  private volatile long previousEnd;

  private SegmentWriter(SegmentFormat.Chain chain, WritableFile file) {
    this.chain = chain;
    this.frames = new FrameWriter(file, chain.segment());
    this.previousEnd = chain.previousEnd();
  }

  /**
   * Creates a segment with a header and a durable name. It appears under its name only when its
   * header is complete.
   */
  static SegmentWriter create(FileSystem files, SegmentFormat.Chain chain) throws IOException {
    ByteWriter header = new ByteWriter(64);
    chain.write(header);
    WritableFile file = begin(files, header);
    try {
      files.rename(SegmentFormat.NEW_SEGMENT, SegmentFormat.name(chain.segment()));
      files.syncDirectory("");
      return new SegmentWriter(chain, file);
    } catch (IOException e) {
      FrameWriter.closeAfter(e, file);
      throw e;
    }
  }

  /**
   * Until it has its name a segment does not count, and its creation can be repeated from the
   * start.
   *
   * @throws LogRefusedException if the file could not be created
   */
  private static WritableFile begin(FileSystem files, ByteWriter header)
      throws LogRefusedException {
    WritableFile file = null;
    try {
      file = FrameWriter.begin(files, SegmentFormat.NEW_SEGMENT, header);
      // Once the segment has its name, a directory that cannot be synced, for instance for want of
      // a descriptor, ends the log: better find out now.
      files.syncDirectory("");
      return file;
    } catch (IOException e) {
      if (file != null) {
        FrameWriter.closeAfter(e, file);
      }
      throw new LogRefusedException(e);
    }
  }

  long number() {
    return chain.segment();
  }

  long size() {
    return frames.size();
  }

  long synced() {
    return frames.synced();
  }

  boolean isEmpty() {
    return empty;
  }

  /** Whether a start would find it part of the chain. */
  boolean isBegun() {
    return !empty || !chain.isLinked();
  }

  /** Where the segment before this one ends. */
  long previousEnd() {
    return previousEnd;
  }

  /** Makes this segment the current one: its first frames record where the one before it ends. */
  void follow(long endOfPrevious) {
    previousEnd = endOfPrevious;
  }

  /**
   * Writes the frames of a buffer that was {@linkplain FrameWriter#prepare prepared}. The first
   * write of a segment that was created in advance begins with a link.
   *
   * @param offsets where in the buffer each frame begins; becomes where each begins in the segment
   */
  void write(ByteWriter buffer, long[] offsets) throws IOException {
    if (empty && chain.isLinked()) {
      frames.writeLinked(buffer, offsets, previousEnd);
    } else {
      frames.write(buffer, offsets);
    }
    empty = false;
  }

  /** Makes all that was written before the call durable. */
  void sync() throws IOException {
    frames.sync();
  }

  /** Cuts off, durably, what a failed write left behind the last good byte. */
  void undo() throws IOException {
    frames.undo();
  }

  /** Seals the synced file, and closes it. */
  void seal() throws IOException {
    try (frames) {
      frames.seal();
    }
  }

  /**
   * Syncs, seals and closes the file, all of it durable. A segment that was not begun gets no seal.
   */
  void sealAndSync() throws IOException {
    try (frames) {
      if (!isBegun()) {
        return;
      }
      frames.sync();
      frames.seal();
      frames.syncEnd();
    }
  }

  /** Closes the file as it is, because of a failure. */
  void abandonAfter(IOException failure) {
    FrameWriter.closeAfter(failure, frames);
  }

  /** Closes the file as it is. */
  @Override
  public void close() throws IOException {
    frames.close();
  }
}
