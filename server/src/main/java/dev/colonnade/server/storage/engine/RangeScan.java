package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All rows of some spans as the data files had them when the scan began, with all their deletions,
 * also those past gc grace. Memtables were flushed before it began. Holds the files until closed.
 *
 * <p>One thread at a time; may block on the disk.
 */
public final class RangeScan implements Closeable {
  private final ColumnFamilyStore store;
  private final FamilyVersion held;
  private final DamageListener damage;
  private final List<RowSpan> all;
  private final Iterator<RowSpan> spans;
  private final ReadContext context = ReadContext.passing();
  private @Nullable RowSpan span;
  private @Nullable RowKeys keys;
  private @Nullable RowKey key;
  private @Nullable AtomCursor atoms;
  private boolean checked;
  private boolean closed;

  RangeScan(
      ColumnFamilyStore store, FamilyVersion held, List<RowSpan> spans, DamageListener damage) {
    this.store = store;
    this.held = held;
    this.damage = damage;
    this.all = List.copyOf(spans);
    this.spans = all.iterator();
  }

  /**
   * Goes to the next row.
   *
   * @return false at the end
   * @throws MissingDataException if a quarantined file may have had some of the rows
   * @throws CorruptFileException if a file is damaged
   */
  public boolean nextRow() throws IOException {
    try {
      requireNothingMissing();
      key = nextKey();
      atoms =
          key == null
              ? null
              : RowSourceSet.of(held, key, store.order(), context).open(PathRange.ALL, false);
      return key != null;
    } catch (CorruptFileException damaged) {
      damage.found(store, damaged);
      throw damaged;
    }
  }

  private void requireNothingMissing() throws MissingDataException {
    if (checked) {
      return;
    }
    for (RowSpan each : all) {
      for (Quarantined file : held.quarantined()) {
        if (file.mayMissWithin(each.start(), each.end())) {
          throw file.missing();
        }
      }
    }
    checked = true;
  }

  private @Nullable RowKey nextKey() throws IOException {
    while (true) {
      RowKeys current = keys;
      RowSpan within = span;
      if (current == null || within == null) {
        if (!spans.hasNext()) {
          return null;
        }
        within = spans.next();
        current = RowKeys.from(held, within.start(), context);
        span = within;
        keys = current;
      }
      RowKey next = current.next();
      boolean inside =
          next != null && (within.end().isEmpty() || next.compareTo(within.end().get()) < 0);
      if (inside) {
        return next;
      }
      keys = null;
    }
  }

  /** The current row's key. */
  public RowKey key() {
    if (key == null) {
      throw new IllegalStateException("a scan has no row before nextRow was called");
    }
    return key;
  }

  /** The deletion of the current row, or none. */
  public DeletionTime rowDeletion() {
    return current().rowDeletion();
  }

  /** The range deletion in force where the current row begins, or none. */
  public DeletionTime open() {
    return current().open();
  }

  /** The next atom of the current row, or null at its end. */
  public @Nullable Atom nextAtom() throws IOException {
    try {
      return current().next();
    } catch (CorruptFileException damaged) {
      damage.found(store, damaged);
      throw damaged;
    }
  }

  private AtomCursor current() {
    if (atoms == null) {
      throw new IllegalStateException("a scan has no row before nextRow was called");
    }
    return atoms;
  }

  /** The total bytes of the files that are read, also of rows outside the spans. */
  public long fileBytes() {
    return held.tables().stream().mapToLong(table -> table.stats().dataBytes()).sum();
  }

  /** Releases the files. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      held.tables().forEach(table -> table.release());
    }
  }
}
