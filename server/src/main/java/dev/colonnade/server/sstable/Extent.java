package dev.colonnade.server.sstable;

import dev.colonnade.server.codec.Hash128;
import dev.colonnade.server.codec.UnreadableFileException;
import dev.colonnade.server.model.RowKey;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which rows a data file may have, without the data: what can be told of a file whose data cannot
 * be read. Errs towards yes. Immutable, thread-safe.
 */
public final class Extent {

  /** Of a file of which nothing is known: it may have any row. */
  public static final Extent UNKNOWN = new Extent(null, null);

  private final @Nullable SSTableStats stats;
  private final @Nullable BloomFilter filter;

  private Extent(@Nullable SSTableStats stats, @Nullable BloomFilter filter) {
    this.stats = stats;
    this.filter = filter;
  }

  /** Of a file that is open. */
  public static Extent of(SSTable table) {
    return new Extent(table.stats(), table.components().filter());
  }

  /**
   * As far as the statistics and the filter can be read; damage of these makes it larger. Blocks.
   *
   * @throws IOException if the disk fails
   */
  public static Extent read(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    SSTableStats stats;
    try {
      stats = MetaFile.read(resources, identity).meta().stats();
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return UNKNOWN;
    }
    try (BlockSource source = BlockSource.open(resources.files(), identity, Component.FILTER)) {
      return new Extent(stats, BloomFilter.read(source));
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return new Extent(stats, null);
    }
  }

  /** Whether anything is known; if not, the file may have any row. */
  public boolean isKnown() {
    return stats != null;
  }

  /** Whether the file may have something about the row. */
  public boolean mightHold(RowKey key) {
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
    SSTableStats known = stats;
    return known == null
        || (start.compareTo(known.lastKey()) <= 0
            && (end.isEmpty() || known.firstKey().compareTo(end.get()) < 0));
  }

  /** No cell or deletion in the file is older. */
  public long minTimestamp() {
    return stats == null ? Long.MIN_VALUE : stats.minTimestamp();
  }

  /** No cell or deletion in the file is newer. */
  public long maxTimestamp() {
    return stats == null ? Long.MAX_VALUE : stats.maxTimestamp();
  }
}
