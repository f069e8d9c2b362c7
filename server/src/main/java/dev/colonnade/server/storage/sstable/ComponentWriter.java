package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes the auxiliary components of a data file: while the file is written, or from an existing
 * file. It is told of rows and atoms in order, and of each block once it is complete. One thread at
 * a time; {@link #close} without {@link #finish} leaves nothing behind.
 */
final class ComponentWriter implements Closeable {
  private final SSTableResources resources;
  private final SSTableIdentity identity;
  private final StatsCollector stats = new StatsCollector();
  private final RowIndexSpool positions;
  private final BlockWriter indexSink;
  private final IndexBuilder index;

  /** Hashes of the rows that begin in the block being filled, two words each. */
  private long[] hashes = new long[64];

  private int hashWords;
  private boolean finished;

  private ComponentWriter(
      SSTableResources resources, SSTableIdentity identity, BlockWriter indexSink) {
    this.resources = resources;
    this.identity = identity;
    this.indexSink = indexSink;
    this.index = new IndexBuilder(indexSink, resources.settings().indexBlockBytes());
    this.positions = new RowIndexSpool(resources.files(), identity.temporaryPath(Component.SPOOL));
  }

  static ComponentWriter create(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    BlockWriter sink =
        BlockWriter.create(
            resources.files(), identity, Component.INDEX, SSTableSettings.BlockCompression.NONE);
    return new ComponentWriter(resources, identity, sink);
  }

  long rows() {
    return stats.rows();
  }

  long cells() {
    return stats.cells();
  }

  /** A row begins in the current block. */
  void row(RowKey key, DeletionTime rowDeletion, DeletionTime open) {
    stats.row(key, rowDeletion, open);
    Hash128 hash = Hash128.of(key.key());
    if (hashWords == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * hashWords);
    }
    hashes[hashWords++] = hash.high();
    hashes[hashWords++] = hash.low();
  }

  void atom(Atom atom) {
    stats.atom(atom);
  }

  void liveCell(long timestamp) {
    stats.liveCell(timestamp);
  }

  /**
   * The current block is complete.
   *
   * @param key of its first row
   * @param path of its first atom if it begins inside that row, else null
   */
  void block(RowKey key, @Nullable Position path, long offset, int frameBytes) throws IOException {
    index.add(key, path, offset, frameBytes);
    long position = RowIndexSpool.pack(offset, frameBytes);
    for (int i = 0; i < hashWords; i += 2) {
      positions.add(hashes[i], hashes[i + 1], position);
    }
    hashWords = 0;
  }

  /** Writes all components, durable, under their temporary names. */
  MetaFile finish(long uncompressedBytes, long dataBytes) throws IOException {
    FileSystem files = resources.files();
    indexSink.finish(index.finish());
    ComponentFiles.Fingerprint indexPrint =
        ComponentFiles.fingerprint(files, identity.temporaryPath(Component.INDEX));
    writeFilter();
    MetaFile meta =
        new MetaFile(
            stats.toStats(uncompressedBytes, dataBytes),
            indexPrint.bytes(),
            indexPrint.checksum(),
            0,
            0,
            0);
    meta = writeKeys(resources, identity, positions, meta);
    meta.write(resources, identity);
    finished = true;
    return meta;
  }

  /** Gives all components their final names; durable once the directory is synced. */
  void publish(MetaFile meta) throws IOException {
    FileSystem files = resources.files();
    ComponentFiles.publish(files, identity, Component.INDEX);
    ComponentFiles.publish(files, identity, Component.FILTER);
    if (meta.keyEntries() > 0) {
      ComponentFiles.publish(files, identity, Component.KEYS);
    }
    ComponentFiles.publish(files, identity, Component.META);
  }

  @Override
  public void close() throws IOException {
    try (positions;
        indexSink) {
      if (!finished) {
        ComponentFiles.deleteTemporaries(resources.files(), identity);
      }
    }
  }

  /** Builds the key index under its temporary name, if the file is to have one. */
  static MetaFile writeKeys(
      SSTableResources resources, SSTableIdentity identity, RowIndexSpool positions, MetaFile meta)
      throws IOException {
    long rows = positions.count();
    if (rows < resources.settings().keyIndexMinRows()) {
      return meta.withKeys(0, 0, 0);
    }
    String path = identity.temporaryPath(Component.KEYS);
    try (KeyIndexes.KeyIndexBuilder keys =
        resources.keyIndexes().create(path, rows, positions.positionBits())) {
      if (positions.forEachSorted(keys::put)) {
        keys.finish();
        ComponentFiles.Fingerprint print = ComponentFiles.fingerprint(resources.files(), path);
        return meta.withKeys(rows, print.bytes(), print.checksum());
      }
    }
    // The hashes of two keys cannot be told apart: this file gets no key index, and the sparse
    // index finds its rows.
    ComponentFiles.deleteIfThere(resources.files(), path);
    return meta.withKeys(0, 0, 0);
  }

  private void writeFilter() throws IOException {
    SSTableSettings settings = resources.settings();
    BloomFilter filter =
        BloomFilter.forKeys(
            positions.count(), settings.bloomBitsPerKey(), settings.bloomMaxBytes());
    positions.forEach(
        (high, low, position) -> {
          filter.add(high, low);
          return true;
        });
    try (BlockWriter sink =
        BlockWriter.create(
            resources.files(), identity, Component.FILTER, SSTableSettings.BlockCompression.NONE)) {
      sink.finish(filter.write(sink));
    }
  }
}
