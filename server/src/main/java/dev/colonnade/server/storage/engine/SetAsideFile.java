package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.SetAsideRecords.SetAsideRecord;
import dev.colonnade.server.storage.mutation.RowUpdateCodec;
import dev.colonnade.server.storage.record.FrameReader;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The file of records that could not be applied to one family; SetAsideFormat.md beside this class
 * gives the layout. It lies beside the family's damaged data files, under a name with the same
 * ending, and is never deleted while the quarantine names it. Blocks.
 */
final class SetAsideFile {

  static final FileFormat FORMAT = new FileFormat("file of set-aside records", "ASID", 1, 1);

  private static final int GENERATION_DIGITS = 12;
  private static final String NAME = "-Records";
  private static final String TEMPORARY = NAME + ".tmp";
  private static final int REASON_BYTES_MAX = 3_000;

  /** Position and reason, beside the mutation itself. */
  private static final int PAYLOAD_BYTES_MAX =
      CommitLogSettings.LARGEST_RECORD_BYTES + REASON_BYTES_MAX + 64;

  private SetAsideFile() {}

  static String path(String directory, long generation) {
    return directory + "/" + digits(generation) + NAME + QuarantineFiles.SUFFIX;
  }

  static String temporaryPath(String directory, long generation) {
    return directory + "/" + digits(generation) + TEMPORARY;
  }

  /** The number in the name of an unfinished file; empty for other names. */
  static OptionalLong temporaryGeneration(String name) {
    if (!name.endsWith(TEMPORARY) || name.length() != GENERATION_DIGITS + TEMPORARY.length()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseUnsignedLong(name.substring(0, GENERATION_DIGITS)));
    } catch (NumberFormatException notOurs) {
      return OptionalLong.empty();
    }
  }

  private static String digits(long generation) {
    String digits = Long.toString(generation);
    return "0".repeat(Math.max(0, GENERATION_DIGITS - digits.length())) + digits;
  }

  static void writeHeader(ByteWriter out, FamilyId family, long generation) {
    ByteWriter body = new ByteWriter(24);
    body.writeLong(family.high());
    body.writeLong(family.low());
    body.writeLong(generation);
    FileHeader.write(out, FORMAT, body.toByteArray());
  }

  /** Appends the payload of a frame. */
  static void writeEntry(
      ByteWriter out,
      LogPosition position,
      String reason,
      RowKey key,
      RowUpdate update,
      long nowSeconds) {
    out.writeVarint(position.segment());
    out.writeVarint(position.offset());
    out.writeText(reason);
    RowUpdateCodec.writeKey(key, out);
    out.writeSignedVarint(nowSeconds);
    RowUpdateCodec.write(update, out);
  }

  /**
   * Reads some records.
   *
   * @param from where they begin; 0 for the first
   * @param bytesMax about how many bytes of them; at least one record, if there is one
   * @throws CorruptFileException if what is read is damaged
   */
  static SetAsideRecords.SetAsidePart read(
      FileSystem files,
      String directory,
      FamilyId family,
      long generation,
      long from,
      long bytesMax)
      throws IOException {
    String path = path(directory, generation);
    String described = files.describe(path);
    List<SetAsideRecord> records = new ArrayList<>();
    try (ReadableFile file = files.open(path)) {
      FileHeader header = FileHeader.read(file, described, FORMAT);
      checkHeader(header, described, family, generation);
      long end = file.size();
      long first = Math.max(from, header.length());
      long at = first;
      FrameReader frames = new FrameReader(file, generation, at, end, PAYLOAD_BYTES_MAX);
      while (at < end && at - first < bytesMax) {
        if (!frames.isFrame(at) || frames.kind() != Frames.RECORD) {
          throw new CorruptFileException(described, at, "a record", "other bytes");
        }
        try {
          records.add(readEntry(frames.payload()));
        } catch (CorruptDataException e) {
          throw e.inFile(described, at + Frames.FRAME_BYTES);
        }
        at += frames.frameBytes();
      }
      return new SetAsideRecords.SetAsidePart(
          records, at < end ? Optional.of(at) : Optional.empty());
    }
  }

  private static void checkHeader(FileHeader header, String path, FamilyId family, long generation)
      throws CorruptFileException {
    try {
      ByteReader body = new ByteReader(header.body());
      FamilyId found = new FamilyId(body.readLong(), body.readLong());
      long foundGeneration = body.readLong();
      body.expectEnd("header of set-aside records");
      if (!found.equals(family) || foundGeneration != generation) {
        throw new CorruptFileException(
            path,
            14,
            "records of family " + family + ", file " + generation,
            "family " + found + ", file " + foundGeneration);
      }
    } catch (CorruptDataException e) {
      throw e.inFile(path, 14);
    }
  }

  private static SetAsideRecord readEntry(ByteReader in) throws CorruptDataException {
    LogPosition position = new LogPosition(in.readVarint(), in.readVarint());
    String reason = in.readText("reason", REASON_BYTES_MAX);
    RowKey key = RowUpdateCodec.readKey(in);
    long nowSeconds = in.readSignedVarint();
    RowUpdate update = RowUpdateCodec.read(in);
    in.expectEnd("set-aside record");
    return new SetAsideRecord(position, reason, key, update, nowSeconds);
  }
}
