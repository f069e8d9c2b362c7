package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Lists the sparse index of a file that no node has open: where each data block begins. Holds a
 * block of each level. One thread at a time; blocks.
 */
public final class SSTableIndexReader implements Closeable {

  /**
   * One data block.
   *
   * @param offset of its frame in the data component
   * @param frameBytes the frame's length
   * @param key the row that it begins in
   * @param path the place in that row; empty if it begins with the row
   */
  public record IndexEntry(long offset, int frameBytes, RowKey key, Optional<Bound> path) {}

  private final BlockReader source;
  private final IndexWalk walk;
  private final MetaFile meta;

  private SSTableIndexReader(BlockReader source, IndexWalk walk, MetaFile meta) {
    this.source = source;
    this.walk = walk;
    this.meta = meta;
  }

  /**
   * Opens the index, and reads the statistics.
   *
   * @throws java.io.FileNotFoundException if one of the two components is missing
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if one is damaged
   */
  public static SSTableIndexReader open(FileSystem files, SSTableIdentity identity)
      throws IOException {
    MetaFile meta = MetaFile.read(files, identity).meta();
    BlockReader source = BlockReader.open(files, identity, Component.INDEX);
    try {
      return new SSTableIndexReader(source, IndexWalk.open(source), meta);
    } catch (IOException | RuntimeException failure) {
      source.close();
      throw failure;
    }
  }

  /** The statistics of the file. */
  public SSTableStats stats() {
    return meta.stats();
  }

  /** How many levels the tree has, at least 1. */
  public int height() {
    return walk.height();
  }

  /** Bytes of the index component. */
  public long indexBytes() {
    return meta.indexBytes();
  }

  /** Rows in the key index; 0 if there is none. */
  public long keyEntries() {
    return meta.keyEntries();
  }

  /** Bytes of the key index; 0 if there is none. */
  public long keyBytes() {
    return meta.keyBytes();
  }

  /**
   * The next data block, or empty at the end.
   *
   * @throws dev.colonnade.server.base.codec.CorruptFileException if a block of the index is damaged
   */
  public Optional<IndexEntry> next() throws IOException {
    if (!walk.next()) {
      return Optional.empty();
    }
    Position path = walk.path();
    return Optional.of(
        new IndexEntry(
            walk.offset(),
            walk.frameBytes(),
            walk.key(),
            path == null ? Optional.empty() : Optional.of(boundOf(path))));
  }

  private static Bound boundOf(Position path) {
    // A block that begins with a column begins right before it.
    int weight = path.weight() == 0 ? -1 : path.weight();
    return DataBlock.bound(path.top(), path.sub(), weight);
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
