package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;

/**
 * The component that describes the others. It is written last.
 *
 * @param stats of the data file
 * @param indexBytes length of the index component
 * @param indexChecksum CRC32C of all of it
 * @param keyEntries entries of the key index; 0 if there is none
 * @param keyBytes length of the key index's file
 * @param keyChecksum CRC32C of all of it
 */
record MetaFile(
    SSTableStats stats,
    long indexBytes,
    int indexChecksum,
    long keyEntries,
    long keyBytes,
    int keyChecksum) {
  MetaFile withKeys(long entries, long bytes, int checksum) {
    return new MetaFile(stats, indexBytes, indexChecksum, entries, bytes, checksum);
  }

  /** Writes the component, durable, under its temporary name. */
  void write(SSTableResources resources, SSTableIdentity identity) throws IOException {
    try (BlockWriter sink =
        BlockWriter.create(
            resources.files(), identity, Component.META, SSTableSettings.BlockCompression.NONE)) {
      sink.finish(encode());
    }
  }

  /**
   * The component as read from disk.
   *
   * @param bytes its length
   */
  record OnDisk(MetaFile meta, long bytes) {}

  static OnDisk read(SSTableResources resources, SSTableIdentity identity) throws IOException {
    return read(resources.files(), identity);
  }

  static OnDisk read(FileSystem files, SSTableIdentity identity) throws IOException {
    try (BlockReader source = BlockReader.open(files, identity, Component.META)) {
      ByteReader in = new ByteReader(source.footerBody());
      try {
        MetaFile meta = decode(in);
        in.expectEnd("statistics");
        return new OnDisk(meta, source.file().size());
      } catch (CorruptDataException damage) {
        throw damage.inFile(source.path(), source.end());
      }
    }
  }

  private byte[] encode() {
    ByteWriter out = new ByteWriter(512);
    out.writeVarint(stats.rows());
    out.writeVarint(stats.cells());
    out.writeVarint(stats.tombstones());
    out.writeLong(stats.minTimestamp());
    out.writeLong(stats.maxTimestamp());
    out.writeLong(stats.minDropSeconds());
    stats.tombstoneHistogram().write(out);
    writeKey(out, stats.firstKey());
    writeKey(out, stats.lastKey());
    out.writeVarint(stats.uncompressedBytes());
    out.writeVarint(stats.dataBytes());
    out.writeVarint(indexBytes);
    out.writeInt(indexChecksum);
    out.writeVarint(keyEntries);
    out.writeVarint(keyBytes);
    out.writeInt(keyChecksum);
    return out.toByteArray();
  }

  private static MetaFile decode(ByteReader in) throws CorruptDataException {
    SSTableStats stats =
        new SSTableStats(
            in.readVarint(),
            in.readVarint(),
            in.readVarint(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            TombstoneHistogram.read(in),
            readKey(in),
            readKey(in),
            in.readVarint(),
            in.readVarint());
    return new MetaFile(
        stats, in.readVarint(), in.readInt(), in.readVarint(), in.readVarint(), in.readInt());
  }

  private static void writeKey(ByteWriter out, RowKey key) {
    out.writeBytes(key.token());
    out.writeBytes(key.key());
  }

  private static RowKey readKey(ByteReader in) throws CorruptDataException {
    byte[] token = in.readBytes("token", DataLimits.KEY_TOKEN_BYTES);
    return new RowKey(token, in.readBytes("key", DataLimits.KEY_BYTES));
  }
}
