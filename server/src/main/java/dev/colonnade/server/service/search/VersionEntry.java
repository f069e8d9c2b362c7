package dev.colonnade.server.service.search;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Cell;
import java.util.Optional;

/**
 * Which version of a document stands. As a value: fingerprint (4 bytes), then the payload.
 *
 * @param payload what the caller keeps with the document
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record VersionEntry(DocumentVersion version, byte[] payload) {

  /** Decodes a cell; empty for one that no indexing of a document wrote. */
  static Optional<VersionEntry> of(Cell cell) {
    ByteReader in = new ByteReader(cell.valueArray(), cell.valueOffset(), cell.valueLength());
    try {
      DocumentVersion version = new DocumentVersion(cell.timestamp(), in.readInt());
      return Optional.of(new VersionEntry(version, in.readRaw(in.remaining())));
    } catch (CorruptDataException notOurs) {
      return Optional.empty();
    }
  }
}
