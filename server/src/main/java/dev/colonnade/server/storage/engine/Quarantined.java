package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A quarantined file. Until it is sound again, was applied, or its loss is accepted, reads that it
 * may concern are refused, and tombstones that may hide its content are kept.
 *
 * @param kind what is in it
 * @param records how many, in a file of records; else 0
 * @param place where a data file lies, in the quarantine's directory; of a file of records its
 *     directory and number
 * @param path where it lies, as a person would look for it
 * @param offset of the damage
 * @param reason what was found there
 * @param sinceSeconds when it was quarantined, in seconds since 1970
 * @param extent which rows it may have
 */
record Quarantined(
    QuarantineKind kind,
    long records,
    SSTableIdentity place,
    String path,
    long offset,
    String reason,
    long sinceSeconds,
    KeyExtent extent) {

  /** The content of a quarantined file. Numbers are on disk. */
  enum QuarantineKind {
    /** Rows, damaged. */
    DATA_FILE(0),
    /** Records of the log that could not be applied: acknowledged writes are missing here. */
    LOGGED_RECORDS(1),
    /** Hints that could not be applied: no write acknowledged here is missing. */
    REFUSED_RECORDS(2);

    private final int number;

    QuarantineKind(int number) {
      this.number = number;
    }

    private static @Nullable QuarantineKind of(int number) {
      for (QuarantineKind kind : values()) {
        if (kind.number == number) {
          return kind;
        }
      }
      return null;
    }
  }

  private static final int REASON_BYTES_MAX = 3_000;

  /** In the worst case a character takes three bytes. */
  private static final int REASON_CHARACTERS_MAX = 1_000;

  static Quarantined of(
      SSTableIdentity place,
      String path,
      CorruptFileException damage,
      long sinceSeconds,
      KeyExtent extent) {
    String reason = "expected " + damage.expected() + ", found " + damage.found();
    return new Quarantined(
        QuarantineKind.DATA_FILE,
        0,
        place,
        path,
        damage.offset(),
        shortened(reason),
        sinceSeconds,
        extent);
  }

  private static String shortened(String reason) {
    return reason.length() <= REASON_CHARACTERS_MAX
        ? reason
        : reason.substring(0, REASON_CHARACTERS_MAX);
  }

  /** Returns the manifest's entry of this file. */
  ManifestFile entry() {
    ByteWriter out = new ByteWriter(256);
    out.writeVarint(offset);
    out.writeSignedVarint(sinceSeconds);
    out.writeText(reason);
    if (kind != QuarantineKind.DATA_FILE) {
      out.writeByte(kind.number);
      out.writeVarint(records);
    }
    return new ManifestFile(place.generation(), out.toByteArray());
  }

  /** Creates it from the manifest's entry. */
  static Quarantined read(ManifestFile entry, SSTableIdentity place, String path, KeyExtent extent)
      throws CorruptDataException {
    ByteReader in = new ByteReader(entry.metadata());
    long offset = in.readVarint();
    long sinceSeconds = in.readSignedVarint();
    String reason = in.readText("reason", REASON_BYTES_MAX);
    QuarantineKind kind = QuarantineKind.DATA_FILE;
    long records = 0;
    if (in.hasRemaining()) {
      int number = in.readByte();
      QuarantineKind found = QuarantineKind.of(number);
      if (found == null) {
        throw in.corrupt("quarantine entry", "a kind of 0 to 2", "" + number);
      }
      kind = found;
      records = in.readVarint();
    }
    in.expectEnd("quarantine entry");
    return new Quarantined(kind, records, place, path, offset, reason, sinceSeconds, extent);
  }

  /** Returns the same with another path and extent. */
  Quarantined with(String newPath, KeyExtent newExtent) {
    return new Quarantined(kind, records, place, newPath, offset, reason, sinceSeconds, newExtent);
  }

  boolean hasRecords() {
    return kind != QuarantineKind.DATA_FILE;
  }

  /**
   * Whether an answer about the row, newer than {@code timestamp}, could be wrong without this
   * file.
   */
  boolean mayMiss(RowKey key, long timestamp) {
    return kind != QuarantineKind.REFUSED_RECORDS
        && extent.maxTimestamp() >= timestamp
        && extent.mightHold(key);
  }

  /** Whether an answer about a range of rows could be wrong without this file. */
  boolean mayMissWithin(RowKey start, Optional<RowKey> end) {
    return kind != QuarantineKind.REFUSED_RECORDS && extent.mightReach(start, end);
  }

  /** Why a read is refused. */
  MissingDataException missing() {
    return hasRecords()
        ? MissingDataException.ofRecords(path, records)
        : MissingDataException.ofDataFile(path, offset);
  }

  QuarantinedFile figures() {
    QuarantinedFile.Contents contents =
        switch (kind) {
          case DATA_FILE -> QuarantinedFile.Contents.ROWS;
          case LOGGED_RECORDS -> QuarantinedFile.Contents.LOGGED_RECORDS;
          case REFUSED_RECORDS -> QuarantinedFile.Contents.REFUSED_RECORDS;
        };
    return new QuarantinedFile(
        place.generation(),
        contents,
        records,
        path,
        offset,
        reason,
        sinceSeconds,
        extent.isKnown());
  }
}
