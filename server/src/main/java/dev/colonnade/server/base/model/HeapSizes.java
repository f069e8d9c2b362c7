package dev.colonnade.server.base.model;

/** The sizes of objects on the heap of the Java machine. */
public final class HeapSizes {

  /** An array's header and alignment. */
  private static final int ARRAY_OVERHEAD_BYTES = 24;

  /**
   * The smallest region of the G1 collector. An array of half a region or more gets regions of its
   * own, and the rest of the last one is lost. With larger regions, fewer arrays are so large.
   */
  private static final int REGION_BYTES = 1 << 20;

  private HeapSizes() {}

  /** The heap that an array of this length occupies. */
  public static long ofArray(long length) {
    long bytes = length + ARRAY_OVERHEAD_BYTES;
    return bytes < REGION_BYTES / 2
        ? bytes
        : (bytes + REGION_BYTES - 1) / REGION_BYTES * REGION_BYTES;
  }
}
