package dev.colonnade.server.service.search;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Cell;
import java.util.Arrays;
import java.util.Optional;

/**
 * A term in a document, or a participant of it, which has no positions.
 *
 * <p>As a value: fingerprint (4 bytes), frequency (varint), length (varint), then the positions
 * (varints, each the distance from the one before), which may be fewer than the frequency says.
 *
 * @param version of the document
 * @param frequency how often the document has the term; 0 for a participant
 * @param length how many terms the document has in all
 * @param positions where the document has the term, ascending; empty where they were not asked for
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Posting(DocumentVersion version, int frequency, int length, int[] positions) {

  private static final int[] NOWHERE = {};

  /** The value of a term, without its fingerprint. */
  static byte[] body(int frequency, int length, int[] positions, int count) {
    ByteWriter out = new ByteWriter(8 + 2 * count);
    out.writeVarint(frequency);
    out.writeVarint(length);
    int last = 0;
    for (int i = 0; i < count; i++) {
      out.writeVarint(positions[i] - last);
      last = positions[i];
    }
    return out.toByteArray();
  }

  /**
   * Decodes a cell; empty for one that no indexing of a document wrote, since the family is
   * everybody's.
   *
   * @param maxPositions how many positions to take, the first ones; 0 for none
   */
  static Optional<Posting> of(Cell cell, int maxPositions) {
    ByteReader in = new ByteReader(cell.valueArray(), cell.valueOffset(), cell.valueLength());
    try {
      DocumentVersion version = new DocumentVersion(cell.timestamp(), in.readInt());
      int frequency = in.readVarint("a frequency", Integer.MAX_VALUE);
      int length = in.readVarint("a length", Integer.MAX_VALUE);
      return Optional.of(new Posting(version, frequency, length, positions(in, maxPositions)));
    } catch (CorruptDataException notOurs) {
      return Optional.empty();
    }
  }

  private static int[] positions(ByteReader in, int most) throws CorruptDataException {
    if (most == 0) {
      return NOWHERE;
    }
    // Each takes a byte at least.
    int[] positions = new int[Math.min(most, in.remaining())];
    int count = 0;
    int last = 0;
    while (in.hasRemaining() && count < most) {
      last += in.readVarint("a distance", Integer.MAX_VALUE - last);
      positions[count++] = last;
    }
    return Arrays.copyOf(positions, count);
  }

  /** What the term adds to the document's score: how BM25 weighs a frequency. */
  float score() {
    // k1 = 1.2, b = 0.75, and 100 terms as the usual length: k1 * (1 - b + b * length / 100).
    return frequency == 0 ? 0 : frequency / (frequency + 0.3f + 0.9f * length / 100);
  }
}
