package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.Frames;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The segment being written. One thread writes; another may sync meanwhile, but not during {@link
 * #seal}, which the log ensures.
 */
final class SegmentWriter implements Closeable {
  private final SegmentFormat.Chain chain;
  private final WritableFile file;
  private final Checksums.Running checksum = new Checksums.Running();

  /** Bytes in the file; the operating system has everything below. */
  private volatile long size;

  /** Bytes known to be durable. */
  private volatile long synced;

  /** The position in the file's last sync mark. */
  private long marked;

  private boolean empty = true;

  /** Where the segment before this one ends, once that is known. */
  private volatile long previousEnd;

  private SegmentWriter(SegmentFormat.Chain chain, WritableFile file) {
    this.chain = chain;
    this.file = file;
    this.size = file.size();
    this.synced = size;
    this.marked = size;
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
      closeAfter(e, file);
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
      if (files.exists(SegmentFormat.NEW_SEGMENT)) {
        files.delete(SegmentFormat.NEW_SEGMENT);
      }
      file = files.create(SegmentFormat.NEW_SEGMENT);
      file.write(header.asByteBuffer());
      file.sync();
      // Once the segment has its name, a directory that cannot be synced, for instance for want of
      // a descriptor, ends the log: better find out now.
      files.syncDirectory("");
      return file;
    } catch (IOException e) {
      if (file != null) {
        closeAfter(e, file);
      }
      throw new LogRefusedException(e);
    }
  }

  private static void closeAfter(IOException failure, WritableFile file) {
    try {
      file.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  long number() {
    return chain.segment();
  }

  long size() {
    return size;
  }

  long synced() {
    return synced;
  }

  boolean isEmpty() {
    return empty;
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
   * Writes the frames in {@code buffer} after {@link Frames#MARK_BYTES} free bytes, which it uses
   * for a link in the first write, and later for a sync mark if the durable position has moved.
   *
   * @param frames where in the buffer each frame begins; becomes where each begins in the segment
   */
  void write(ByteWriter buffer, long[] frames) throws IOException {
    long knownDurable = synced;
    int from = Frames.MARK_BYTES;
    if (empty && chain.isLinked()) {
      from = 0;
      Frames.finishMark(checksum, buffer, 0, Frames.LINK, previousEnd, number(), size);
    } else if (knownDurable > marked) {
      from = 0;
      Frames.finishMark(checksum, buffer, 0, Frames.SYNC_MARK, knownDurable, number(), size);
    }
    long base = size - from;
    for (int i = 0; i < frames.length; i++) {
      int frame = (int) frames[i];
      int end = i + 1 < frames.length ? (int) frames[i + 1] : buffer.position();
      frames[i] += base;
      Frames.finish(checksum, buffer, frame, end - frame - Frames.FRAME_BYTES, number(), frames[i]);
    }
    file.write(ByteBuffer.wrap(buffer.array(), from, buffer.position() - from));
    size = base + buffer.position();
    marked = knownDurable;
    empty = false;
  }

  /** Makes all that was written before the call durable. */
  void sync() throws IOException {
    long written = size;
    file.sync();
    synced = Math.max(synced, written);
  }

  /** Cuts off, durably, what a failed write left behind the last good byte. */
  void undo() throws IOException {
    file.truncate(size);
    sync();
  }

  /** Seals the synced file, and closes it. */
  void seal() throws IOException {
    try (file) {
      writeSeal();
    }
  }

  /**
   * Syncs, seals and closes the file, all of it durable. A segment that was not begun gets no seal.
   */
  void sealAndSync() throws IOException {
    try (file) {
      if (empty && chain.isLinked()) {
        return;
      }
      sync();
      writeSeal();
      file.sync();
    }
  }

  private void writeSeal() throws IOException {
    ByteWriter buffer = new ByteWriter(Frames.MARK_BYTES);
    buffer.reserve(Frames.MARK_BYTES);
    Frames.finishMark(checksum, buffer, 0, Frames.SEAL, synced, number(), size);
    file.write(buffer.asByteBuffer());
  }

  /** Closes the file as it is, because of a failure. */
  void abandonAfter(IOException failure) {
    closeAfter(failure, file);
  }

  /** Closes the file as it is. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
