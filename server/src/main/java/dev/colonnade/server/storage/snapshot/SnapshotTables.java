package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.FrameCache;
import dev.colonnade.server.storage.cache.KeyCache;
import dev.colonnade.server.storage.sstable.FilterMemory;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens the data files of a snapshot for reading, without a node. Its files are expected to have
 * been verified: a damaged index would be rebuilt in place. Blocks; one thread at a time.
 */
public final class SnapshotTables implements Closeable {

  private static final int CACHE_BYTES = 1 << 20;

  private final FileSystem snapshot;
  private final SnapshotManifest manifest;
  private final Schema schema;
  private final SSTableResources resources;
  private final List<SSTable> open = new ArrayList<>();

  /**
   * Reads the manifest.
   *
   * @param snapshot rooted at the snapshot's own directory
   * @param types finds the comparators that its families name
   * @throws java.io.FileNotFoundException if it has no manifest, and is no snapshot
   * @throws SchemaException if a comparator is not known here
   */
  public SnapshotTables(FileSystem snapshot, ComparatorResolver types)
      throws IOException, SchemaException {
    this(snapshot, SnapshotManifestFile.read(snapshot, ""), types);
  }

  /** As the other one, with a manifest that was read before. */
  SnapshotTables(FileSystem snapshot, SnapshotManifest manifest, ComparatorResolver types)
      throws SchemaException {
    this.snapshot = snapshot;
    this.manifest = manifest;
    this.schema = Schema.load(manifest.schema(), types);
    this.resources =
        new SSTableResources(
            snapshot,
            new NoKeyIndexes(),
            new BlockCache(CACHE_BYTES, FrameCache.NONE),
            new KeyCache(1),
            new FilterMemory(Runtime.getRuntime().maxMemory() / 4),
            SSTableSettings.DEFAULT,
            Runnable::run);
  }

  /** What the snapshot has. */
  public SnapshotManifest manifest() {
    return manifest;
  }

  /** The schema when it was taken: its keyspaces, and {@code system}. */
  public Schema schema() {
    return schema;
  }

  /**
   * The definition of one of its families.
   *
   * @throws IOException if the schema lacks it
   */
  public ColumnFamily definition(SnapshotFamily family) throws IOException {
    return schema
        .family(family.id())
        .orElseThrow(
            () ->
                new IOException(
                    "the schema in "
                        + snapshot.describe(SnapshotManifestFile.NAME)
                        + " lacks the column family "
                        + family.keyspace()
                        + "."
                        + family.name()));
  }

  /** Opens one file of a family; it is closed with this. */
  public SSTable open(SnapshotFamily family, SnapshotFile file) throws IOException {
    SSTable table =
        SSTable.open(
            resources,
            new SSTableIdentity(
                family.directory(),
                file.generation(),
                family.id(),
                manifest.partitioner(),
                definition(family).order()));
    open.add(table);
    return table;
  }

  /** Closes the files that are open. */
  @Override
  public void close() {
    open.forEach(SSTable::release);
    open.clear();
  }

  /** The sparse indexes serve here. */
  private static final class NoKeyIndexes implements KeyIndexes {
    @Override
    public KeyIndexBuilder create(String path, long entries, long positionBits) throws IOException {
      throw new IOException("no key index is made in a snapshot: " + path);
    }

    @Override
    public KeyIndex open(String path, long entries) throws IOException {
      throw new IOException("a snapshot has no key index: " + path);
    }
  }
}
