package dev.colonnade.server.base.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Live cells of one row of a Standard family, in path order, as places in the one array that holds
 * their names and values: from it an answer is encoded without an object for each cell.
 *
 * <p>Filled again for one row after the other. What is taken from it must be taken before that; its
 * array may be referred to for longer, and is never changed. For one thread.
 */
public final class PlainCells {

  private static final byte[] NO_BYTES = {};

  /** Where name and value of a cell begin, and how long they are. */
  private static final int PLACES = 4;

  private byte[] array = NO_BYTES;
  private int[] places = {};
  private long[] timestamps = {};
  private int count;
  private long payloadBytes;
  private @Nullable Cell last;

  /** Starts empty. */
  public PlainCells() {}

  /**
   * Removes all cells.
   *
   * @param from the array that holds those to come; not to be changed any more
   * @param cells how many there will be
   */
  public void begin(byte[] from, int cells) {
    array = from;
    count = 0;
    payloadBytes = 0;
    last = null;
    if (timestamps.length < cells) {
      places = new int[PLACES * cells];
      timestamps = new long[cells];
    }
  }

  /** Adds the next cell. */
  public void add(int nameFrom, int nameLength, int valueFrom, int valueLength, long timestamp) {
    int at = PLACES * count;
    places[at] = nameFrom;
    places[at + 1] = nameLength;
    places[at + 2] = valueFrom;
    places[at + 3] = valueLength;
    timestamps[count++] = timestamp;
    payloadBytes += (long) nameLength + valueLength;
  }

  /** How many cells there are. */
  public int count() {
    return count;
  }

  /** Bytes of all names and values together. */
  public long payloadBytes() {
    return payloadBytes;
  }

  /** The array that holds names and values. */
  public byte[] array() {
    return array;
  }

  /** Where the name of a cell begins. */
  public int nameFrom(int cell) {
    return places[PLACES * cell];
  }

  /** How long it is. */
  public int nameLength(int cell) {
    return places[PLACES * cell + 1];
  }

  /** Where the value of a cell begins. */
  public int valueFrom(int cell) {
    return places[PLACES * cell + 2];
  }

  /** How long it is. */
  public int valueLength(int cell) {
    return places[PLACES * cell + 3];
  }

  /** The client's timestamp of a cell. */
  public long timestamp(int cell) {
    return timestamps[cell];
  }

  /** The last cell as an object; there must be one. */
  public Cell last() {
    Cell known = last;
    if (known == null) {
      int at = count - 1;
      int from = nameFrom(at);
      byte[] name = Arrays.copyOfRange(array, from, from + nameLength(at));
      known = Cell.liveIn(name, null, array, valueFrom(at), valueLength(at), timestamp(at));
      last = known;
    }
    return known;
  }
}
