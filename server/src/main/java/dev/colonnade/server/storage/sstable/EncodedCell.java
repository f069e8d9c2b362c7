package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;

/**
 * Where the parts of a live cell stand in the bytes of its block, so that it can be copied to
 * another block without an object for the cell or its arrays. Used again for one cell after the
 * other; one thread at a time.
 */
final class EncodedCell {
  private byte[] bytes = {};
  private int topFrom;
  private int topLength;
  private boolean hasSub;
  private int subFrom;
  private int subLength;
  private int valueFrom;
  private int valueLength;
  private long timestamp;

  /**
   * Goes to a cell.
   *
   * @param reader at its tag, over the whole block
   * @param base of the block's timestamps
   */
  void find(ByteReader reader, long base) throws CorruptDataException {
    bytes = reader.array();
    int tag = reader.readByte();
    if ((tag & DataBlock.TOP_ELSEWHERE) == 0) {
      findTop(reader);
    } else {
      int elsewhere = reader.readVarint("place of a name", bytes.length);
      int back = reader.position();
      reader.position(elsewhere);
      findTop(reader);
      reader.position(back);
    }
    hasSub = (tag & DataBlock.HAS_SUB) != 0;
    subLength = hasSub ? reader.readLength("subcolumn name", bytes.length) : 0;
    subFrom = reader.arrayPosition();
    reader.skip(subLength);
    timestamp = base + reader.readSignedVarint();
    valueLength = reader.readLength("value", bytes.length);
    valueFrom = reader.arrayPosition();
  }

  private void findTop(ByteReader reader) throws CorruptDataException {
    topLength = reader.readLength("name", bytes.length);
    topFrom = reader.arrayPosition();
    reader.skip(topLength);
  }

  /** The array that holds all parts. */
  byte[] bytes() {
    return bytes;
  }

  int topFrom() {
    return topFrom;
  }

  int topLength() {
    return topLength;
  }

  /** Whether it is a subcolumn. */
  boolean hasSub() {
    return hasSub;
  }

  int subFrom() {
    return subFrom;
  }

  int subLength() {
    return subLength;
  }

  int valueFrom() {
    return valueFrom;
  }

  int valueLength() {
    return valueLength;
  }

  long timestamp() {
    return timestamp;
  }
}
