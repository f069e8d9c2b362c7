package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads a whole manifest. Every edit is synced before the next one is written, so only the last one
 * can be torn; invalid bytes with a valid record behind them are damage.
 */
final class ManifestReader {
  /** Payload length, checksum. */
  static final int FRAME_BYTES = 8;

  private static final int MAX_FILE_BYTES = 512 << 20;

  private final String path;
  private final TreeMap<FamilyId, FamilyState> families = new TreeMap<>();
  private final byte[] bytes;
  private final NodeIdentity identity;
  private long edits;
  private int offset;

  private ManifestReader(String path, byte[] bytes, FileHeader header) throws IOException {
    this.path = path;
    this.bytes = bytes;
    this.offset = header.length();
    try {
      ManifestRecords.ManifestHeader said = ManifestRecords.header(header);
      this.identity = said.identity();
      this.edits = said.edits();
    } catch (CorruptDataException e) {
      throw e.inFile(path, header.length() - 4L - header.body().length);
    }
  }

  static ManifestReader read(FileSystem files, String name) throws IOException {
    String path = files.describe(name);
    try (ReadableFile file = files.open(name)) {
      FileHeader header = FileHeader.read(file, path, ManifestRecords.FORMAT);
      if (file.size() > MAX_FILE_BYTES) {
        throw new CorruptFileException(
            path, MAX_FILE_BYTES, "the end of the file", file.size() + " bytes");
      }
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, ByteBuffer.wrap(bytes));
      ManifestReader reader = new ManifestReader(path, bytes, header);
      reader.readRecords();
      return reader;
    }
  }

  NodeIdentity identity() {
    return identity;
  }

  SortedMap<FamilyId, FamilyState> families() {
    return families;
  }

  /** How many edits the node had made in its life when the last of these was written. */
  long edits() {
    return edits;
  }

  /** Where the valid records end. */
  int validEnd() {
    return offset;
  }

  int fileBytes() {
    return bytes.length;
  }

  /**
   * The checksum of a record at that place, so that a record that strayed elsewhere is not valid
   * there.
   */
  static int checksum(byte[] bytes, int payload, int length, long at) {
    return new Checksums.RunningChecksum()
        .updateLong(at)
        .updateInt(length)
        .update(bytes, payload, length)
        .value();
  }

  private void readRecords() throws CorruptFileException {
    while (offset < bytes.length) {
      int length = recordAt(offset);
      if (length < 0) {
        refuseIfRecordsFollow();
        return;
      }
      ByteReader in = new ByteReader(bytes, offset + FRAME_BYTES, length);
      try {
        apply(in);
      } catch (CorruptDataException e) {
        throw e.inFile(path, offset + FRAME_BYTES);
      }
      offset += FRAME_BYTES + length;
    }
  }

  private void apply(ByteReader in) throws CorruptDataException {
    int kind = in.readByte();
    if (kind == ManifestRecords.STATE || kind == ManifestRecords.STATE_WITH_QUARANTINE) {
      FamilyState state = ManifestRecords.readState(in, kind != ManifestRecords.STATE);
      families.put(state.family(), state);
    } else if (kind == ManifestRecords.EDIT) {
      Edit edit = ManifestRecords.readEdit(in);
      edits++;
      FamilyState before = families.getOrDefault(edit.family(), FamilyState.empty(edit.family()));
      if (edit.drop()) {
        families.remove(edit.family());
      } else {
        families.put(edit.family(), ManifestRecords.apply(in, before, edit));
      }
    } else {
      throw in.corrupt("kind of a record", "1 to 3", "" + kind);
    }
  }

  /** The payload length of a valid record, or -1. */
  private int recordAt(int at) {
    if (bytes.length - at < FRAME_BYTES) {
      return -1;
    }
    int length = number(at);
    if (length < 1
        || length > ManifestRecords.MAX_RECORD_BYTES
        || length > bytes.length - at - FRAME_BYTES) {
      return -1;
    }
    int expected = number(at + 4);
    return checksum(bytes, at + FRAME_BYTES, length, at) == expected ? length : -1;
  }

  private int number(int at) {
    return ByteBuffer.wrap(bytes).getInt(at);
  }

  private void refuseIfRecordsFollow() throws CorruptFileException {
    for (int at = offset + 1; at < bytes.length; at++) {
      int length = recordAt(at);
      if (length > 0) {
        throw new CorruptFileException(
            path, offset, "a record, since a valid one follows at byte " + at, "other bytes");
      }
    }
  }
}
