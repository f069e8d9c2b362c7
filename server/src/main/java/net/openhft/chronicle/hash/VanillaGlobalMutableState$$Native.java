package net.openhft.chronicle.hash;

import net.openhft.chronicle.bytes.BytesStore;
import org.jspecify.annotations.Nullable;

/**
 * What a Chronicle Map knows of itself, in 25 bytes of its file. Chronicle looks for a class of
 * this name, and where there is none it writes the source of one and compiles it when the first map
 * is opened, which takes a second or more of processor time at each start, and a compiler. The
 * layout is Chronicle's, without padding: 3 bytes, 5, 5, 4 and 8, the lowest first.
 */
@SuppressWarnings("rawtypes") // as the interface
public final class VanillaGlobalMutableState$$Native implements VanillaGlobalMutableState {

  private static final int BULKS = 0;
  private static final int FREE_TIER = 3;
  private static final int TIERS = 8;
  private static final int HEADERS = 13;
  private static final int DATA = 17;
  private static final int BYTES = 25;

  private static final int BULKS_MAX = (1 << 24) - 1;
  private static final long TIERS_MAX = (1L << 40) - 1;
  private static final long HEADERS_MAX = (1L << 32) - 1;

  private @Nullable BytesStore store;
  private long start;

  /** Refers to nothing; Chronicle calls it by reflection. */
  public VanillaGlobalMutableState$$Native() {}

  private BytesStore store() {
    BytesStore bytes = store;
    if (bytes == null) {
      throw new IllegalStateException("it refers to no bytes");
    }
    return bytes;
  }

  private static void require(long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(value + " is not from 0 to " + max);
    }
  }

  private long readFive(int at) {
    return store().readLong(start + at) & TIERS_MAX;
  }

  private void writeFive(int at, long value) {
    require(value, TIERS_MAX);
    store().writeLong(start + at, (store().readLong(start + at) & ~TIERS_MAX) | value);
  }

  @Override
  public int getAllocatedExtraTierBulks() {
    return store().readInt(start + BULKS) & BULKS_MAX;
  }

  @Override
  public void setAllocatedExtraTierBulks(int bulks) {
    require(bulks, BULKS_MAX);
    store().writeInt(start + BULKS, (store().readInt(start + BULKS) & ~BULKS_MAX) | bulks);
  }

  @Override
  public long getFirstFreeTierIndex() {
    return readFive(FREE_TIER);
  }

  @Override
  public void setFirstFreeTierIndex(long index) {
    writeFive(FREE_TIER, index);
  }

  @Override
  public long getExtraTiersInUse() {
    return readFive(TIERS);
  }

  @Override
  public void setExtraTiersInUse(long tiers) {
    writeFive(TIERS, tiers);
  }

  @Override
  public long getSegmentHeadersOffset() {
    return store().readInt(start + HEADERS) & HEADERS_MAX;
  }

  @Override
  public void setSegmentHeadersOffset(long offset) {
    require(offset, HEADERS_MAX);
    store().writeInt(start + HEADERS, (int) offset);
  }

  @Override
  public long getDataStoreSize() {
    return store().readLong(start + DATA);
  }

  @Override
  public void setDataStoreSize(long size) {
    require(size, Long.MAX_VALUE);
    store().writeLong(start + DATA, size);
  }

  @Override
  public long addDataStoreSize(long addition) {
    long size = Math.addExact(getDataStoreSize(), addition);
    setDataStoreSize(size);
    return size;
  }

  @Override
  public void bytesStore(BytesStore bytes, long offset, long length) {
    if (length != BYTES || offset + length > bytes.capacity()) {
      throw new IllegalArgumentException(length + " bytes at " + offset);
    }
    store = bytes;
    start = offset;
  }

  @Override
  public @Nullable BytesStore bytesStore() {
    return store;
  }

  @Override
  public long offset() {
    return start;
  }

  @Override
  public long maxSize() {
    return BYTES;
  }
}
