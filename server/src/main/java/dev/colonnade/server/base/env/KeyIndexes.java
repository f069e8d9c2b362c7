package dev.colonnade.server.base.env;

import java.io.Closeable;
import java.io.IOException;

/**
 * Makes and opens the immutable maps from a row key's 128-bit hash to the row's position, one map
 * for each data file. Off-heap (Chronicle Map) in production, a sorted array in memory in
 * simulation.
 *
 * <p>Paths are those of the {@link FileSystem} with the same root. Thread-safe. Calls but {@link
 * KeyIndex#find} may block.
 */
public interface KeyIndexes {

  /**
   * Does at once what the first map of a process would have to wait for, such as loading classes.
   * Blocks.
   */
  default void warmUp() throws IOException {}

  /**
   * Starts a map that will hold exactly {@code entries} entries, in the file {@code path}, which
   * must not exist.
   *
   * @param entries at least 1
   * @param positionBits all positions combined by a bitwise or
   */
  KeyIndexBuilder create(String path, long entries, long positionBits) throws IOException;

  /**
   * Opens a finished map. The caller has verified the file's checksum first: opening a damaged file
   * is unsafe.
   *
   * @param entries what the map was created for
   * @return {@link KeyIndex#NONE} if the process may open too few files for one more map
   * @throws IOException if the file is missing or not such a map
   */
  KeyIndex open(String path, long entries) throws IOException;

  /**
   * A map under construction, used by one thread; {@link #close} without {@link #finish} abandons
   * it.
   */
  interface KeyIndexBuilder extends Closeable {
    /**
     * Adds an entry. Entries are added in ascending order of their hashes, as unsigned numbers.
     *
     * @param position at least 0
     * @return false if the map cannot tell the hash from one that was put before (the first
     *     position stays): the caller then goes without a map
     */
    boolean put(long hashHigh, long hashLow, long position) throws IOException;

    /** Closes the map and makes its bytes durable; its name becomes durable with its directory. */
    void finish() throws IOException;
  }

  /** A finished map; thread-safe, and a lookup allocates nothing and does no blocking call. */
  interface KeyIndex extends Closeable {

    /** Finds nothing. */
    KeyIndex NONE =
        new KeyIndex() {
          @Override
          public long find(long hashHigh, long hashLow) {
            return -1;
          }

          @Override
          public void close() {}
        };

    /**
     * The position stored for that hash, or -1. For a hash that has none, it is now and then the
     * position of another one.
     */
    long find(long hashHigh, long hashLow);
  }
}
