package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;

/**
 * The cost of one read so far; every file that takes part in it adds to it. One thread at a time.
 */
public final class ReadFigures {
  private long blocksFromDisk;
  private long blockCacheHits;
  private long sstablesTouched;
  private long bloomRejections;
  private long bloomFalsePositives;
  private long keyCacheHits;

  /** Of this node alone; not sent to others. */
  private long keyCacheLookups;

  private long tombstonesScanned;
  private long bytesRead;

  /** Blocks, data and index alike, that were looked at, from the block cache or from disk. */
  public long blocksRead() {
    return blocksFromDisk + blockCacheHits;
  }

  /** Blocks, data and index alike, that came from disk. */
  public long blocksFromDisk() {
    return blocksFromDisk;
  }

  /** Blocks, data and index alike, that came from the block cache. */
  public long blockCacheHits() {
    return blockCacheHits;
  }

  /** Data files in which the read looked beyond the Bloom filter. */
  public long sstablesTouched() {
    return sstablesTouched;
  }

  /** Data files that the Bloom filter ruled out. */
  public long bloomRejections() {
    return bloomRejections;
  }

  /** Data files without the row that the Bloom filter let pass. */
  public long bloomFalsePositives() {
    return bloomFalsePositives;
  }

  /** Rows whose position was looked up in the key cache. */
  public long keyCacheLookups() {
    return keyCacheLookups;
  }

  /** Rows whose position the key cache knew. */
  public long keyCacheHits() {
    return keyCacheHits;
  }

  /** Deleted columns and ends of range deletions that the read passed over. */
  public long tombstonesScanned() {
    return tombstonesScanned;
  }

  /** Bytes that came from disk. */
  public long bytesRead() {
    return bytesRead;
  }

  /** Adds the cost of another part of the same read. */
  public void add(ReadFigures other) {
    blocksFromDisk += other.blocksFromDisk;
    blockCacheHits += other.blockCacheHits;
    sstablesTouched += other.sstablesTouched;
    bloomRejections += other.bloomRejections;
    bloomFalsePositives += other.bloomFalsePositives;
    keyCacheLookups += other.keyCacheLookups;
    keyCacheHits += other.keyCacheHits;
    tombstonesScanned += other.tombstonesScanned;
    bytesRead += other.bytesRead;
  }

  /** Writes the figures for another node. */
  public void write(ByteWriter out) {
    out.writeVarint(blocksFromDisk);
    out.writeVarint(blockCacheHits);
    out.writeVarint(sstablesTouched);
    out.writeVarint(bloomRejections);
    out.writeVarint(bloomFalsePositives);
    out.writeVarint(keyCacheHits);
    out.writeVarint(tombstonesScanned);
    out.writeVarint(bytesRead);
  }

  /** Reads what {@link #write} wrote. */
  public static ReadFigures read(ByteReader in) throws CorruptDataException {
    ReadFigures figures = new ReadFigures();
    figures.blocksFromDisk = in.readVarint();
    figures.blockCacheHits = in.readVarint();
    figures.sstablesTouched = in.readVarint();
    figures.bloomRejections = in.readVarint();
    figures.bloomFalsePositives = in.readVarint();
    figures.keyCacheHits = in.readVarint();
    figures.tombstonesScanned = in.readVarint();
    figures.bytesRead = in.readVarint();
    return figures;
  }

  void countBlockFromDisk(long bytes) {
    blocksFromDisk++;
    bytesRead += bytes;
  }

  void countBlockCacheHit() {
    blockCacheHits++;
  }

  void countSSTable() {
    sstablesTouched++;
  }

  void countBloomFalsePositive() {
    bloomFalsePositives++;
  }

  void countBloomRejection() {
    bloomRejections++;
  }

  void countKeyCacheLookup(boolean hit) {
    keyCacheLookups++;
    keyCacheHits += hit ? 1 : 0;
  }

  void countTombstone() {
    tombstonesScanned++;
  }

  @Override
  public String toString() {
    return "blocksFromDisk="
        + blocksFromDisk
        + " blockCacheHits="
        + blockCacheHits
        + " sstablesTouched="
        + sstablesTouched
        + " bloomRejections="
        + bloomRejections
        + " keyCacheHits="
        + keyCacheHits
        + " tombstonesScanned="
        + tombstonesScanned
        + " bytesRead="
        + bytesRead;
  }
}
