package dev.colonnade.server.model;

/** What things take on the heap of the Java machine. */
public final class HeapSizes {

  /** An array's header and what aligns it. */
  private static final int ARRAY_OVERHEAD_BYTES = 24;

  /**
   * The smallest region of the G1 collector. An array of half a region or more gets regions of its
   * own, and what it leaves of the last one is lost. Where regions are larger, fewer arrays are so
   * large.
   */
  private static final int REGION_BYTES = 1 << 20;

  private HeapSizes() {}

  /** Bytes that an array of so many bytes keeps from others. */
  public static long ofArray(long length) {
    long bytes = length + ARRAY_OVERHEAD_BYTES;
    return bytes < REGION_BYTES / 2
        ? bytes
        : (bytes + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
  }
}
