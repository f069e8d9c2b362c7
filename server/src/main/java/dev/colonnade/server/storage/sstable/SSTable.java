package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.KeyIndexes.KeyIndex;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.cache.CachedBlock;
import dev.colonnade.server.storage.cache.FrameCache;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One immutable data file, open for reading.
 *
 * <p>It is reference-counted: {@link #open} gives the first reference, {@link #retain} another,
 * {@link #release} gives one back. The user of a cursor holds a reference meanwhile. When the last
 * is released the handles are closed, and the files deleted if {@link #markObsolete} was called.
 *
 * <p>Thread-safe. Only reads whose context allows it, and the methods that say so, block.
 */
public final class SSTable {
  private static final Logger LOG = LoggerFactory.getLogger(SSTable.class);

  /** What it costs to make a block from its frame, in comparisons. */
  private static final int BLOCK_UNITS = 100;

  private final SSTableResources resources;
  private final SSTableIdentity identity;
  private final OpenComponents components;
  private final long cacheFile;
  private final AtomicInteger references = new AtomicInteger(1);
  private volatile boolean obsolete;
  private volatile @Nullable KeyIndex keyIndex;
  private volatile boolean keyIndexFailed;

  private SSTable(SSTableResources resources, SSTableIdentity identity, OpenComponents components) {
    this.resources = resources;
    this.identity = identity;
    this.components = components;
    this.cacheFile = resources.blocks().newFile();
  }

  /**
   * Opens a file. Index, filter and statistics that are missing or damaged are rebuilt from the
   * data first, which takes a pass over it. The key index is not opened here, since verifying it
   * can take long: see {@link #openKeyIndex}. Blocks.
   *
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if the data file itself is
   *     damaged, or of a format that this release does not read
   * @throws MismatchedFileException if it belongs to another family or was written in another order
   */
  public static SSTable open(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    return new SSTable(resources, identity, OpenComponents.open(resources, identity));
  }

  /** Opens a file that was just written, with its key index. */
  static SSTable openNew(SSTableResources resources, SSTableIdentity identity) throws IOException {
    SSTable table = open(resources, identity);
    try {
      table.keyIndex = KeyIndexFile.openUnchecked(resources, identity, table.components.meta());
      return table;
    } catch (IOException | RuntimeException failure) {
      table.release();
      throw failure;
    }
  }

  /**
   * Verifies and opens the key index; one that is missing or damaged is deleted and rebuilt from
   * the data. Until then the sparse index serves. Does nothing if it is open, or if the file is too
   * small to have one. Blocks, and may read the whole file; the caller holds a reference.
   */
  public synchronized void openKeyIndex() throws IOException {
    if (keyIndex == null) {
      keyIndex = KeyIndexFile.openOrRebuild(this, resources);
    }
  }

  /** Whether a key index serves this file now. */
  public boolean hasKeyIndex() {
    KeyIndex index = keyIndex;
    return index != null && index != KeyIndex.NONE && !keyIndexFailed;
  }

  /** The file's identity. */
  public SSTableIdentity identity() {
    return identity;
  }

  /** Statistics of the file's content. */
  public SSTableStats stats() {
    return components.meta().stats();
  }

  /** Bytes that it takes on disk: rows, indexes, filter and statistics together. */
  public long diskBytes() {
    return components.diskBytes();
  }

  /** The smallest row key. */
  public RowKey firstKey() {
    return stats().firstKey();
  }

  /** The greatest row key. */
  public RowKey lastKey() {
    return stats().lastKey();
  }

  /** Bytes of heap that the filter and the top of the index take. */
  public long heapBytes() {
    return components.filter().bytes() + components.root().weightBytes();
  }

  /**
   * The atoms of a row between two bounds, read lazily. A slice of a few columns reads a few
   * blocks, wherever in the row it lies and in whichever direction it is read.
   *
   * @param reversed from the range's end to its start
   * @return null if this file has nothing about the row
   * @throws NotCachedException if a block is needed that neither the caches nor the system have in
   *     memory, and the context forbids waiting for the disk; the cursor's {@link AtomCursor#next}
   *     throws it too
   * @throws dev.colonnade.server.base.codec.CorruptFileException if a block is damaged
   */
  public @Nullable AtomCursor row(
      RowKey key, PathRange range, boolean reversed, ReadContext context) throws IOException {
    if (!mayHold(key)) {
      return null;
    }
    Hash128 hash = Hash128.of(key.key());
    if (!components.filter().mightContain(hash)) {
      context.figures().countBloomRejection();
      return null;
    }
    context.figures().countSSTable();
    RowCursor cursor = new RowCursor(this, key, range, reversed, context);
    if (cursor.start(hash)) {
      return cursor;
    }
    context.figures().countBloomFalsePositive();
    return null;
  }

  /**
   * Whether the row may be in this file: false if it is outside of the file's keys or the filter
   * rules it out. Touches no disk.
   */
  public boolean mightContain(RowKey key) {
    return mayHold(key) && components.filter().mightContain(Hash128.of(key.key()));
  }

  /**
   * The row keys from {@code from} on, ascending.
   *
   * @param from need not be in the file; see {@link RowKey#firstOf} for a bound
   */
  public RowKeyCursor keys(RowKey from, ReadContext context) {
    return new RowKeyCursor(this, from, context);
  }

  /**
   * The data blocks starting with the one that would hold {@code from}, read from the index only.
   *
   * @param from need not be in the file; see {@link RowKey#firstOf} for a bound
   */
  public BlockKeyCursor blockKeys(RowKey from, ReadContext context) {
    return new BlockKeyCursor(this, from, context);
  }

  /** How many data blocks there are; at least one. */
  public long blocks() {
    return components.footer().blocks();
  }

  /**
   * Everything in the file, in order, bypassing the block cache. The scan holds a reference of its
   * own.
   */
  public SSTableScan scan() {
    if (!retain()) {
      throw new IllegalStateException(
          "data file "
              + identity.generation()
              + " is scanned after its last reference was released");
    }
    return new SSTableScan(this);
  }

  /**
   * Reads everything and checks checksums, order, and that the index leads to every block. Blocks.
   *
   * @throws dev.colonnade.server.base.codec.CorruptFileException at the first damage
   */
  public void verify() throws IOException {
    try (SSTableScan scan = scan()) {
      new SSTableVerifier(this, scan).run();
    }
  }

  /**
   * Takes a reference; false if the last one was released already, and the file is gone with it.
   */
  public boolean retain() {
    int current = references.get();
    while (current > 0) {
      if (references.compareAndSet(current, current + 1)) {
        return true;
      }
      current = references.get();
    }
    return false;
  }

  /** Releases a reference. Does not block: the closing after the last one runs elsewhere. */
  public void release() {
    int left = references.decrementAndGet();
    if (left == 0) {
      resources.closing().accept(this::close);
    } else if (left < 0) {
      throw new IllegalStateException(
          "data file " + identity.generation() + " was released more often than retained");
    }
  }

  /**
   * Marks the file as absent from any live set: it is deleted after its last reference is released.
   */
  public void markObsolete() {
    obsolete = true;
  }

  /** The block in which the row begins, from the key cache; -1 if it is not cached. */
  long cachedPosition(RowKey key, ReadFigures figures) {
    long known = resources.keys().find(cacheFile, key);
    figures.countKeyCacheLookup(known >= 0);
    return known;
  }

  /**
   * The block in which the row should begin, by the key index; -1 if the index does not have it.
   */
  long indexedPosition(Hash128 hash) {
    KeyIndex index = keyIndex;
    if (index == null || keyIndexFailed) {
      return -1;
    }
    try {
      return index.find(hash.high(), hash.low());
    } catch (InternalError fault) {
      if (!Errors.isFaultOfMappedMemory(fault)) {
        throw fault;
      }
      // The disk failed under the mapped file. The sparse index has the same positions.
      keyIndexFailed = true;
      Errors.report(
          "the key index of "
              + components.data().path()
              + " cannot be read; the sparse index is used until the next start",
          fault);
      return -1;
    }
  }

  void rememberPosition(RowKey key, long position, ReadContext context) {
    if (context.fillsCaches()) {
      resources.keys().put(cacheFile, key, position);
    }
  }

  IndexBlock indexRoot() {
    return components.root();
  }

  BlockReader indexSource() {
    return components.index();
  }

  OpenComponents components() {
    return components;
  }

  DataBlock dataBlock(long offset, int frameBytes, ReadContext context) throws IOException {
    if (cached(offset, context) instanceof DataBlock block) {
      context.figures().countBlockCacheHit();
      return block;
    }
    byte[] bytes = read(components.data(), offset, frameBytes, context);
    DataBlock block = components.dataBlock(bytes, offset);
    keep(offset, block, context);
    return block;
  }

  /** Index blocks share the cache with data blocks; their offsets are negated there. */
  IndexBlock indexBlock(long offset, int frameBytes, ReadContext context) throws IOException {
    if (cached(-offset, context) instanceof IndexBlock block) {
      context.figures().countBlockCacheHit();
      return block;
    }
    byte[] bytes = read(components.index(), offset, frameBytes, context);
    IndexBlock block = components.indexBlock(bytes, offset);
    keep(-offset, block, context);
    return block;
  }

  /** A block from the frames in memory, or else from the file. */
  private byte[] read(BlockReader from, long offset, int frameBytes, ReadContext context)
      throws IOException {
    context.work().spend(BLOCK_UNITS);
    FrameCache frames = resources.blocks().frames();
    byte[] kept = from.readKept(offset, frames, cacheFile);
    if (kept != null) {
      context.figures().countBlockCacheHit();
      return kept;
    }
    byte @Nullable [] read;
    if (!context.mayBlock()) {
      read = from.readIfInMemory(offset, frameBytes, frames, cacheFile);
    } else if (context.fillsCaches()) {
      read = from.read(offset, frameBytes, frames, cacheFile);
    } else {
      read = from.read(offset, frameBytes);
    }
    if (read == null) {
      throw NotCachedException.INSTANCE;
    }
    context.figures().countBlockFromDisk(frameBytes);
    return read;
  }

  private @Nullable CachedBlock cached(long offset, ReadContext context) {
    CachedBlock passing = context.blocks().find(cacheFile, offset);
    return passing != null ? passing : resources.blocks().find(cacheFile, offset);
  }

  private void keep(long offset, CachedBlock block, ReadContext context) {
    if (context.fillsCaches()) {
      resources.blocks().put(cacheFile, offset, block);
    } else {
      context.blocks().put(cacheFile, offset, block);
    }
  }

  /** Damage found while decoding a block whose checksum was right. */
  IOException damaged(CorruptDataException damage, long blockOffset) {
    return damage.inFile(components.data().path(), blockOffset);
  }

  private boolean mayHold(RowKey key) {
    return firstKey().compareTo(key) <= 0 && key.compareTo(lastKey()) <= 0;
  }

  private void close() {
    try {
      KeyIndex index = keyIndex;
      if (index != null) {
        index.close();
      }
      components.close();
      if (obsolete) {
        ComponentFiles.deleteAll(resources.files(), identity);
      }
    } catch (IOException failure) {
      LOG.warn(
          "could not close or delete data file {}; no data is lost, and what is left behind is"
              + " deleted at the next start",
          components.data().path(),
          failure);
    }
  }
}
