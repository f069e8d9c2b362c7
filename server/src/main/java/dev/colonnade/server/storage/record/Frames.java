package dev.colonnade.server.storage.record;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;

/**
 * The frame around each record of a file that is only ever appended to: the commit log's segments,
 * and those of hints.
 *
 * <pre>
 * offset  bytes  field
 *      0      4  CRC32C of: the file's number (8), the offset of this frame in the file (8), then
 *                this frame from byte 4 to its end
 *      4      4  length n of the payload
 *      8      1  kind: 1 record, 2 sync mark, 3 seal, 4 link
 *      9      n  payload
 * </pre>
 *
 * <p>Because the checksum covers number and offset, a frame of an older file that shows up in
 * reused disk blocks, or one that strayed elsewhere, is not valid. All kinds but records have eight
 * bytes of payload. In a sync mark and a seal this is an offset: everything before it was durable
 * when the frame was written.
 */
public final class Frames {
  /** A record: the content of the file. */
  public static final byte RECORD = 1;

  /** Records what was durable when it was written, so that damage before it is no torn tail. */
  public static final byte SYNC_MARK = 2;

  /** The last frame of a file that was closed in order; records the same as a sync mark. */
  public static final byte SEAL = 3;

  /** The first frame of a file that was created in advance: where the file before it ends. */
  public static final byte LINK = 4;

  /** Checksum, payload length, kind. */
  public static final int FRAME_BYTES = 9;

  /** A frame that is no record: the frame and one number. */
  public static final int MARK_BYTES = FRAME_BYTES + 8;

  private Frames() {}

  /**
   * Sets length and checksum of a frame whose kind and payload are in place.
   *
   * @param frame where in {@code buffer} it begins
   * @param file the number of the file
   * @param offset where in the file it will stand
   */
  public static void finish(
      Checksums.RunningChecksum checksum,
      ByteWriter buffer,
      int frame,
      int payloadBytes,
      long file,
      long offset) {
    buffer.patchInt(frame + 4, payloadBytes);
    buffer.patchInt(frame, checksum(checksum, buffer.array(), frame, payloadBytes, file, offset));
  }

  /**
   * Writes a sync mark, a seal or a link to the {@link #MARK_BYTES} at {@code frame}.
   *
   * @param number its payload
   */
  public static void finishMark(
      Checksums.RunningChecksum checksum,
      ByteWriter buffer,
      int frame,
      byte kind,
      long number,
      long file,
      long offset) {
    buffer.array()[frame + 8] = kind;
    buffer.patchLong(frame + FRAME_BYTES, number);
    finish(checksum, buffer, frame, 8, file, offset);
  }

  /** The checksum of a frame at that place of that file. */
  public static int checksum(
      Checksums.RunningChecksum checksum,
      byte[] bytes,
      int frame,
      int payloadBytes,
      long file,
      long offset) {
    return checksum
        .reset()
        .updateLong(file)
        .updateLong(offset)
        .update(bytes, frame + 4, FRAME_BYTES - 4 + payloadBytes)
        .value();
  }
}
