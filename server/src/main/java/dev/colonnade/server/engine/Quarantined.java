package dev.colonnade.server.engine;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.manifest.ManifestFile;
import dev.colonnade.server.sstable.Extent;
import dev.colonnade.server.sstable.SSTableIdentity;

/**
 * A damaged data file that is set aside. Reads that it may concern are refused, and what it may
 * have to be hidden from stays hidden, until it is sound again or given up.
 *
 * @param place where it lies, in the quarantine's directory
 * @param path the same, as a person would look for it
 * @param offset of the damage
 * @param reason what was found there
 * @param sinceSeconds when it was set aside, in seconds since 1970
 * @param extent which rows it may have
 */
record Quarantined(
    SSTableIdentity place,
    String path,
    long offset,
    String reason,
    long sinceSeconds,
    Extent extent) {

  private static final int REASON_BYTES_MAX = 3_000;

  /** In the worst case a character takes three bytes. */
  private static final int REASON_CHARACTERS_MAX = 1_000;

  static Quarantined of(
      SSTableIdentity place,
      String path,
      CorruptFileException damage,
      long sinceSeconds,
      Extent extent) {
    String reason = "expected " + damage.expected() + ", found " + damage.found();
    return new Quarantined(place, path, damage.offset(), shortened(reason), sinceSeconds, extent);
  }

  private static String shortened(String reason) {
    return reason.length() <= REASON_CHARACTERS_MAX
        ? reason
        : reason.substring(0, REASON_CHARACTERS_MAX);
  }

  /** As the manifest keeps it. */
  ManifestFile entry() {
    ByteWriter out = new ByteWriter(256);
    out.writeVarint(offset);
    out.writeSignedVarint(sinceSeconds);
    out.writeText(reason);
    return new ManifestFile(place.generation(), out.toByteArray());
  }

  /** From what the manifest kept. */
  static Quarantined read(ManifestFile entry, SSTableIdentity place, String path, Extent extent)
      throws CorruptDataException {
    ByteReader in = new ByteReader(entry.metadata());
    long offset = in.readVarint();
    long sinceSeconds = in.readSignedVarint();
    String reason = in.readText("reason", REASON_BYTES_MAX);
    in.expectEnd("quarantine entry");
    return new Quarantined(place, path, offset, reason, sinceSeconds, extent);
  }

  /** Why a read is refused. */
  MissingDataException missing() {
    return new MissingDataException(path, offset);
  }

  QuarantinedFile figures() {
    return new QuarantinedFile(
        place.generation(), path, offset, reason, sinceSeconds, extent.isKnown());
  }
}
