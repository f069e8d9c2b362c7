package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.model.RowKey;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a file may have, as far as known without its data: used for files whose data cannot
 * be read or cannot be used. In doubt, a row may be in the file. Immutable, thread-safe.
 */
public final class KeyExtent {

  /** The extent of an unknown file: it may have any row. */
  public static final KeyExtent UNKNOWN = new KeyExtent(null, null, null);

  private final @Nullable SSTableStats stats;
  private final @Nullable BloomFilter filter;

  /** The exact rows, if they are known; without statistics and filter then. */
  private final @Nullable Rows rows;

  private record Rows(NavigableSet<RowKey> keys, long minTimestamp, long maxTimestamp) {}

  private KeyExtent(
      @Nullable SSTableStats stats, @Nullable BloomFilter filter, @Nullable Rows rows) {
    this.stats = stats;
    this.filter = filter;
    this.rows = rows;
  }

  /**
   * Returns the extent of a file with exactly these rows.
   *
   * @param keys at least one; copied
   * @param minTimestamp of all that is in the file
   * @param maxTimestamp of all that is in the file
   */
  public static KeyExtent ofRows(Set<RowKey> keys, long minTimestamp, long maxTimestamp) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("a file without rows has no extent");
    }
    return new KeyExtent(null, null, new Rows(new TreeSet<>(keys), minTimestamp, maxTimestamp));
  }

  /** Returns the extent of an open file. */
  public static KeyExtent of(SSTable table) {
    return new KeyExtent(table.stats(), table.components().filter(), null);
  }

  /**
   * Reads the extent from the statistics and the filter; if these are damaged, it is larger.
   * Blocks.
   *
   * @throws IOException if the disk fails
   */
  public static KeyExtent read(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    SSTableStats stats;
    try {
      stats = MetaFile.read(resources, identity).meta().stats();
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return UNKNOWN;
    }
    try (BlockReader source = BlockReader.open(resources.files(), identity, Component.FILTER)) {
      return new KeyExtent(stats, BloomFilter.read(source), null);
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return new KeyExtent(stats, null, null);
    }
  }

  /** Whether anything is known; if not, the file may have any row. */
  public boolean isKnown() {
    return stats != null || rows != null;
  }

  /** Whether the file may have something about the row. */
  public boolean mightHold(RowKey key) {
    if (rows != null) {
      return rows.keys().contains(key);
    }
    SSTableStats known = stats;
    if (known == null) {
      return true;
    }
    if (key.compareTo(known.firstKey()) < 0 || key.compareTo(known.lastKey()) > 0) {
      return false;
    }
    return filter == null || filter.mightContain(Hash128.of(key.key()));
  }

  /** Whether the file may have rows at or after {@code start} and before {@code end}. */
  public boolean mightReach(RowKey start, Optional<RowKey> end) {
    if (rows != null) {
      RowKey first = rows.keys().ceiling(start);
      return first != null && (end.isEmpty() || first.compareTo(end.get()) < 0);
    }
    SSTableStats known = stats;
    return known == null
        || (start.compareTo(known.lastKey()) <= 0
            && (end.isEmpty() || known.firstKey().compareTo(end.get()) < 0));
  }

  /** No cell or deletion in the file is older. */
  public long minTimestamp() {
    if (rows != null) {
      return rows.minTimestamp();
    }
    return stats == null ? Long.MIN_VALUE : stats.minTimestamp();
  }

  /** No cell or deletion in the file is newer. */
  public long maxTimestamp() {
    if (rows != null) {
      return rows.maxTimestamp();
    }
    return stats == null ? Long.MAX_VALUE : stats.maxTimestamp();
  }
}
