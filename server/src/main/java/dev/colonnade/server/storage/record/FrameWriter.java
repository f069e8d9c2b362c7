package dev.colonnade.server.storage.record;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends {@link Frames} to one file and knows how much of it is durable.
 *
 * <ul>
 *   <li>When the durable position has moved since the last write, the next write begins with a sync
 *       mark. It costs no write of its own, and lets a reader tell damage from a torn tail.
 *   <li>After a failed write nothing more may be written, unless {@link #undo} succeeds.
 * </ul>
 *
 * <p>One thread writes; another may sync meanwhile, but not during {@link #seal} and {@link
 * #close}.
 */
public final class FrameWriter implements Closeable {
  private final WritableFile file;
  private final long number;
  private final Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();

  /** Bytes in the file; the operating system has everything below. */
  private volatile long size;

  /** Bytes known to be durable. */
  private volatile long synced;

  /** The position in the file's last sync mark. */
  private long marked;

  /**
   * Continues a file that so far consists of its header, durable.
   *
   * @param number the file's, which the checksums cover
   */
  public FrameWriter(WritableFile file, long number) {
    this.file = file;
    this.number = number;
    this.size = file.size();
    this.synced = size;
    this.marked = size;
  }

  /**
   * Creates a file under a temporary name, with a header, and syncs it. A file that an earlier
   * attempt left under that name is replaced.
   */
  public static WritableFile begin(FileSystem files, String temporary, ByteWriter header)
      throws IOException {
    WritableFile file = AtomicFile.createAnew(files, temporary);
    try {
      file.write(header.asByteBuffer());
      file.sync();
      return file;
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(e, file);
      throw e;
    }
  }

  /** Closes the file because of a failure, which keeps what closing it throws. */
  public static void closeAfter(Throwable failure, Closeable file) {
    try {
      file.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Bytes in the file. */
  public long size() {
    return size;
  }

  /** Bytes known to be durable. */
  public long synced() {
    return synced;
  }

  /**
   * Reserves what a write needs in the buffer: room for a mark, which {@link #write} fills or
   * leaves out. The frames follow it, each with its kind and payload in place.
   */
  public static void prepare(ByteWriter buffer) {
    buffer.reset();
    buffer.reserve(Frames.MARK_BYTES);
  }

  /**
   * Writes the frames of a buffer that was prepared, in one write.
   *
   * @param frames where in the buffer each frame begins; becomes where each begins in the file
   */
  public void write(ByteWriter buffer, long[] frames) throws IOException {
    long knownDurable = synced;
    if (knownDurable > marked) {
      write(buffer, frames, Frames.SYNC_MARK, knownDurable);
    } else {
      write(buffer, frames, Frames.MARK_BYTES);
    }
    marked = knownDurable;
  }

  /**
   * As {@link #write(ByteWriter, long[])}, as the first write of a file that was created in
   * advance: begins with a link.
   *
   * @param previousEnd where the file before this one ends
   */
  public void writeLinked(ByteWriter buffer, long[] frames, long previousEnd) throws IOException {
    long knownDurable = synced;
    write(buffer, frames, Frames.LINK, previousEnd);
    marked = knownDurable;
  }

  private void write(ByteWriter buffer, long[] frames, byte mark, long markNumber)
      throws IOException {
    Frames.finishMark(checksum, buffer, 0, mark, markNumber, number, size);
    write(buffer, frames, 0);
  }

  /** Writes the buffer from {@code from} on. */
  private void write(ByteWriter buffer, long[] frames, int from) throws IOException {
    long base = size - from;
    for (int i = 0; i < frames.length; i++) {
      int frame = (int) frames[i];
      int end = i + 1 < frames.length ? (int) frames[i + 1] : buffer.position();
      frames[i] += base;
      Frames.finish(checksum, buffer, frame, end - frame - Frames.FRAME_BYTES, number, frames[i]);
    }
    file.write(ByteBuffer.wrap(buffer.array(), from, buffer.position() - from));
    size = base + buffer.position();
  }

  /** Makes durable what was written before the call. After a failure nothing may be written. */
  public void sync() throws IOException {
    long written = size;
    file.sync();
    synced = Math.max(synced, written);
  }

  /** Cuts off, durably, what a failed write left behind the last frame. */
  public void undo() throws IOException {
    file.truncate(size);
    sync();
  }

  /** Writes a seal, which says that the file was closed in order, and how much of it is durable. */
  public void seal() throws IOException {
    ByteWriter buffer = new ByteWriter(Frames.MARK_BYTES);
    buffer.reserve(Frames.MARK_BYTES);
    Frames.finishMark(checksum, buffer, 0, Frames.SEAL, synced, number, size);
    end(buffer);
  }

  /** Writes the last bytes of the file, which are no frame or a seal. Nothing is written after. */
  public void end(ByteWriter last) throws IOException {
    file.write(last.asByteBuffer());
  }

  /** Bytes of the file, with what {@link #end} wrote. */
  public long fileBytes() {
    return file.size();
  }

  /** Makes the end of the file durable, too. */
  public void syncEnd() throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
