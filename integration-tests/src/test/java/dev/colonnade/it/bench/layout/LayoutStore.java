package dev.colonnade.it.bench.layout;

import java.io.Closeable;
import java.util.Map;

/** A store under measurement; for one thread. */
interface LayoutStore extends Closeable {

  /** Writes durably up to a second's loss of power. */
  void insert(LayoutShape.Insert insert) throws Exception;

  /** Ends all work in the background; afterwards everything is where reads look for it. */
  void settle() throws Exception;

  /** Bytes on disk by the part of the layout that takes them; settled before. */
  Map<String, Long> bytesOnDisk() throws Exception;

  /** Opens the settled store again, with caches that hold nothing from one read to the next. */
  void reopenCold() throws Exception;

  /**
   * Reads the first columns of a row, at most ten.
   *
   * @return how many there were
   */
  int read(byte[] key) throws Exception;

  /** All calls so far. */
  FileCalls calls() throws Exception;
}
