package dev.colonnade.server.storage.sstable;

import static dev.colonnade.server.storage.sstable.DataBlock.*;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.Arrays;

/** The one pass over a new block that finds its rows and atoms and checks every length. */
final class DataBlockParser {
  private final ByteReader reader;
  private final byte[] bytes;
  private int[] rowAt = new int[8];
  private int[] firstAtomOf = new int[8];
  private int rows;
  private int[] atomAt;
  private int atoms;
  private int[] markers = {};
  private int markerCount;

  DataBlockParser(byte[] bytes) {
    this.bytes = bytes;
    this.reader = new ByteReader(bytes);
    this.atomAt = new int[8 + Math.min(1024, bytes.length / 32)];
  }

  void parse() throws CorruptDataException {
    reader.skip(HEADER_BYTES);
    while (reader.hasRemaining()) {
      int at = reader.position();
      int tag = reader.readByte();
      int type = tag & TYPE_MASK;
      if (type == TYPE_ROW) {
        row(at, tag);
      } else if (rows == 0 || type > TYPE_MARKER) {
        throw reader.corrupt("kind of entry", "a row's header", "" + tag);
      } else {
        atom(at, tag, type == TYPE_MARKER);
      }
    }
    if (rows == 0) {
      throw reader.corrupt("rows of a block", "at least one", "none");
    }
    int end = rows == 1 ? atoms : firstAtomOf[1];
    if ((bytes[0] & DataBlock.FIRST_CONTINUES) != 0 && end == 0) {
      throw reader.corrupt("rest of a row that goes on", "at least one column", "none");
    }
  }

  int[] rowAt() {
    return Arrays.copyOf(rowAt, rows);
  }

  int[] firstAtomOf() {
    int[] result = Arrays.copyOf(firstAtomOf, rows + 1);
    result[rows] = atoms;
    return result;
  }

  int[] atomAt() {
    return Arrays.copyOf(atomAt, atoms);
  }

  int[] markers() {
    return Arrays.copyOf(markers, markerCount);
  }

  private void row(int at, int tag) throws CorruptDataException {
    if (rows == rowAt.length) {
      rowAt = Arrays.copyOf(rowAt, 2 * rows);
      firstAtomOf = Arrays.copyOf(firstAtomOf, 2 * rows);
    }
    rowAt[rows] = at;
    firstAtomOf[rows++] = atoms;
    KeyBytes.skip(reader);
    deletion((tag & ROW_DELETED) != 0);
    deletion((tag & ROW_OPEN) != 0);
  }

  private void atom(int at, int tag, boolean marker) throws CorruptDataException {
    if (atoms == atomAt.length) {
      atomAt = Arrays.copyOf(atomAt, 2 * atoms);
    }
    if (marker) {
      if (markerCount == markers.length) {
        markers = Arrays.copyOf(markers, 8 + 2 * markerCount);
      }
      markers[markerCount++] = atoms;
      marker(tag);
    } else {
      cell(at, tag);
    }
    atomAt[atoms++] = at;
  }

  private void marker(int tag) throws CorruptDataException {
    int weight = ((tag >> WEIGHT_SHIFT) & 7) - 2;
    if (weight == 0 || weight > 2) {
      throw reader.corrupt("side of a bound", "before or after", "" + weight);
    }
    bytes("name");
    if ((tag & MARKER_HAS_SUB) != 0) {
      bytes("subcolumn name");
    }
    deletion((tag & HAS_BEFORE) != 0);
    deletion((tag & HAS_AFTER) != 0);
  }

  private void cell(int at, int tag) throws CorruptDataException {
    if ((tag & TOP_ELSEWHERE) != 0) {
      top(reader.readVarint("place of a name", at));
    } else {
      bytes("name");
    }
    if ((tag & HAS_SUB) != 0) {
      bytes("subcolumn name");
    }
    reader.readSignedVarint();
    switch ((tag >> KIND_SHIFT) & 3) {
      case 0 -> bytes("value");
      case 1 -> {
        reader.readVarint("time to live", Integer.MAX_VALUE);
        reader.readSignedVarint();
        bytes("value");
      }
      case 2 -> reader.readSignedVarint();
      default -> throw reader.corrupt("kind of cell", "0 to 2", "3");
    }
  }

  private void top(int elsewhere) throws CorruptDataException {
    int back = reader.position();
    reader.position(elsewhere);
    bytes("name");
    reader.position(back);
  }

  private void bytes(String what) throws CorruptDataException {
    reader.skip(reader.readLength(what, bytes.length));
  }

  private void deletion(boolean present) throws CorruptDataException {
    if (present) {
      reader.readSignedVarint();
      reader.readSignedVarint();
    }
  }
}
