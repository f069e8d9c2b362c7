package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opened components of a data file, all of them sound.
 *
 * @param data the rows
 * @param footer the data file's description of itself
 * @param index the sparse index
 * @param root its topmost block
 * @param filter the Bloom filter; one that says yes to everything if there was no heap for it
 * @param filterMemory held as long as this is open
 * @param meta the statistics
 * @param diskBytes of all components together
 */
record OpenComponents(
    BlockReader data,
    DataFooter footer,
    BlockReader index,
    IndexBlock root,
    BloomFilter filter,
    Claim filterMemory,
    MetaFile meta,
    long diskBytes)
    implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SSTable.class);

  /** The body of the data file's footer. */
  record DataFooter(
      long rows, long cells, long markers, long blocks, long uncompressedBytes, int maxFrameBytes) {
    static DataFooter read(BlockReader data) throws IOException {
      ByteReader in = new ByteReader(data.footerBody());
      try {
        DataFooter footer =
            new DataFooter(
                in.readVarint(),
                in.readVarint(),
                in.readVarint(),
                in.readVarint(),
                in.readVarint(),
                in.readVarint("largest block", Integer.MAX_VALUE));
        in.expectEnd("footer");
        if (footer.rows() == 0) {
          // A file without rows is never written.
          throw data.corrupt(data.end(), "at least one row", "none");
        }
        return footer;
      } catch (CorruptDataException damage) {
        throw damage.inFile(data.path(), data.end());
      }
    }
  }

  /** Opens all components but the key index; rebuilds those that cannot be used. */
  static OpenComponents open(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    BlockReader data = BlockReader.open(resources.files(), identity, Component.DATA);
    try {
      DataFooter footer = DataFooter.read(data);
      try {
        return openDerived(resources, identity, data, footer);
      } catch (FileNotFoundException
          | UnreadableFileException
          | CorruptDataException
          | MismatchedFileException unusable) {
        LOG.warn(
            "{}; the components derived from {} are being rebuilt, and its data is not affected",
            unusable.getMessage(),
            data.path());
      }
      ComponentRebuilder.run(resources, identity, data, footer);
      return openDerived(resources, identity, data, footer);
    } catch (IOException | RuntimeException failure) {
      data.close();
      throw failure;
    }
  }

  /** Parses a block of {@link #data}. */
  DataBlock dataBlock(byte[] block, long offset) throws CorruptFileException {
    try {
      return DataBlock.parse(block);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), offset);
    }
  }

  /** Parses a block of {@link #index}. */
  IndexBlock indexBlock(byte[] block, long offset) throws CorruptFileException {
    return parseIndex(index, block, offset);
  }

  @Override
  public void close() throws IOException {
    try (data;
        index;
        filterMemory) {
      // Closed in any case.
    }
  }

  private static OpenComponents openDerived(
      SSTableResources resources, SSTableIdentity identity, BlockReader data, DataFooter footer)
      throws IOException {
    MetaFile.OnDisk described = MetaFile.read(resources, identity);
    MetaFile meta = described.meta();
    if (meta.stats().rows() != footer.rows() || meta.stats().dataBytes() != data.file().size()) {
      throw new CorruptFileException(
          resources.files().describe(identity.path(Component.META)),
          0,
          "statistics of " + footer.rows() + " rows in " + data.file().size() + " bytes",
          meta.stats().rows() + " rows in " + meta.stats().dataBytes() + " bytes");
    }
    BloomFilter filter;
    Claim filterMemory;
    long bytes = data.file().size() + meta.indexBytes() + meta.keyBytes() + described.bytes();
    try (BlockReader source = BlockReader.open(resources.files(), identity, Component.FILTER)) {
      bytes += source.file().size();
      filterMemory = resources.filters().hold(BloomFilter.bytes(source));
      if (filterMemory == null) {
        filterMemory = resources.filters().leaveOut();
        filter = BloomFilter.ofEverything();
      } else {
        filter = readFilter(source, filterMemory);
      }
    }
    BlockReader index;
    try {
      index = BlockReader.open(resources.files(), identity, Component.INDEX);
    } catch (IOException | RuntimeException failure) {
      filterMemory.close();
      throw failure;
    }
    try {
      IndexBlock root = checkIndex(index, meta);
      return new OpenComponents(data, footer, index, root, filter, filterMemory, meta, bytes);
    } catch (IOException | RuntimeException failure) {
      filterMemory.close();
      index.close();
      throw failure;
    }
  }

  private static BloomFilter readFilter(BlockReader source, Claim memory) throws IOException {
    try {
      return BloomFilter.read(source);
    } catch (IOException | RuntimeException failure) {
      memory.close();
      throw failure;
    }
  }

  private static IndexBlock checkIndex(BlockReader index, MetaFile meta) throws IOException {
    ComponentFiles.Fingerprint found = ComponentFiles.fingerprint(index.file());
    if (found.bytes() != meta.indexBytes() || found.checksum() != meta.indexChecksum()) {
      throw index.corrupt(
          0, "the index that the statistics name, " + meta.indexBytes() + " bytes", "another");
    }
    ByteReader footer = new ByteReader(index.footerBody());
    try {
      return readIndex(index, footer.readLong(), footer.readInt());
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), index.end());
    }
  }

  private static IndexBlock readIndex(BlockReader index, long offset, int frameBytes)
      throws IOException {
    return parseIndex(index, index.read(offset, frameBytes), offset);
  }

  private static IndexBlock parseIndex(BlockReader index, byte[] block, long offset)
      throws CorruptFileException {
    try {
      return IndexBlock.parse(block);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), offset);
    }
  }
}
