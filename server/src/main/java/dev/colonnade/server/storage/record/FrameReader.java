package dev.colonnade.server.storage.record;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the {@link Frames} of one file, through a window that grows to the largest record and no
 * further. One thread at a time.
 */
public final class FrameReader {
  private static final int WINDOW_BYTES = 1 << 18;

  private final ReadableFile file;
  private final long number;
  private final long end;
  private final int maxPayloadBytes;
  private final Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();

  private byte[] window;
  private long windowStart;
  private int windowLength;
  private int frame;
  private int payload;

  /**
   * Creates a reader of the frames from {@code start} to {@code end}; the file has them.
   *
   * @param number the file's, which the checksums cover
   * @param maxPayloadBytes no memory is allocated for more
   */
  public FrameReader(ReadableFile file, long number, long start, long end, int maxPayloadBytes) {
    this.file = file;
    this.number = number;
    this.end = end;
    this.maxPayloadBytes = maxPayloadBytes;
    this.window = new byte[(int) Math.min(WINDOW_BYTES, Math.max(Frames.MARK_BYTES, end - start))];
  }

  /**
   * Whether a valid frame begins at {@code at}; {@link #kind} and the other accessors then refer to
   * it.
   */
  public boolean isFrame(long at) throws IOException {
    if (end - at < Frames.FRAME_BYTES) {
      return false;
    }
    fill(at, Frames.FRAME_BYTES);
    ByteReader head = new ByteReader(window, (int) (at - windowStart), Frames.FRAME_BYTES);
    int expected = head.readInt();
    int length = head.readInt();
    int kind = head.readByte();
    if (length < 0
        || length > maxPayloadBytes
        || length > end - at - Frames.FRAME_BYTES
        || kind < Frames.RECORD
        || kind > Frames.LINK
        || (kind != Frames.RECORD && length != 8)) {
      return false;
    }
    fill(at, Frames.FRAME_BYTES + length);
    frame = (int) (at - windowStart);
    payload = length;
    return Frames.checksum(checksum, window, frame, length, number, at) == expected;
  }

  /** The kind of the frame found last. */
  public byte kind() {
    return window[frame + 8];
  }

  /** How many bytes the frame found last takes. */
  public int frameBytes() {
    return Frames.FRAME_BYTES + payload;
  }

  /** The payload of the frame found last; valid until the next call of {@link #isFrame}. */
  public ByteReader payload() {
    return new ByteReader(window, frame + Frames.FRAME_BYTES, payload);
  }

  /**
   * Looks for proof, anywhere behind {@code damage}, that the bytes there were synced once: a valid
   * sync mark or seal which says so. Without it the bytes can come from a write that never
   * completed.
   *
   * @return where the proof stands; -1 if there is none
   */
  public long proofOfSync(long damage) throws IOException {
    for (long at = damage + 1; at <= end - Frames.MARK_BYTES; at++) {
      if (looksLikeMark(at) && isFrame(at) && payload().readLong() > damage) {
        return at;
      }
    }
    return -1;
  }

  private boolean looksLikeMark(long at) throws IOException {
    fill(at, Frames.MARK_BYTES);
    int start = (int) (at - windowStart);
    byte kind = window[start + 8];
    return (kind == Frames.SYNC_MARK || kind == Frames.SEAL)
        && window[start + 4] == 0
        && window[start + 5] == 0
        && window[start + 6] == 0
        && window[start + 7] == 8;
  }

  /** Reads {@code length} bytes at {@code at} into the window; the file has them. */
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
}
