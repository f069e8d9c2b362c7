package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The row keys of one file from a place on, ascending, and the row of each. The index is used to
 * skip the blocks inside a wide row. One thread at a time; {@link #next} blocks only if the context
 * allows it.
 */
public final class RowKeyCursor {
  private final SSTable table;
  private final RowKey from;
  private final ReadContext context;
  private final IndexCursor index;
  private final ByteReader reader = new ByteReader(new byte[0]);
  private @Nullable DataBlock block;

  /** The row in {@link #block} whose key comes next. */
  private int row;

  private @Nullable RowKey last;
  private boolean ended;

  RowKeyCursor(SSTable table, RowKey from, ReadContext context) {
    this.table = table;
    this.from = from;
    this.context = context;
    this.index = new IndexCursor(table, context);
  }

  /**
   * The next row key, or null at the end.
   *
   * @throws NotCachedException if a block is needed and the context forbids reading it; a new
   *     cursor from the last key on can be made where it may block
   */
  public @Nullable RowKey next() throws IOException {
    if (ended) {
      return null;
    }
    try {
      DataBlock current = block;
      if (current == null) {
        index.seek(from, null);
        current = load();
        int found = current.findRow(from, reader);
        row = found >= 0 ? found : -found - 1;
        if (row == 0 && current.continuesFromBefore(0)) {
          row = 1;
        }
      }
      if (row >= current.rows()) {
        current = following(current);
        if (current == null) {
          ended = true;
          last = null;
          return null;
        }
      }
      RowKey key = current.rowKey(row++, reader);
      last = key;
      return key;
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, index.offset());
    }
  }

  /**
   * The atoms of the row whose key was returned last, between two bounds, without a lookup: the
   * block in which the row begins is at hand. To be used before the next key is asked for.
   *
   * @param reversed from the range's end to its start
   * @throws NotCachedException as {@link SSTable#row}
   */
  public AtomCursor row(PathRange range, boolean reversed) throws IOException {
    DataBlock current = block;
    RowKey key = last;
    if (current == null || key == null) {
      throw new IllegalStateException("no key was returned");
    }
    context.figures().countSSTable();
    RowCursor cursor = new RowCursor(table, key, range, reversed, context);
    cursor.startIn(current, index, row - 1);
    return cursor;
  }

  /** The block in which the next row begins, with {@link #row} set to it. */
  private @Nullable DataBlock following(DataBlock exhausted)
      throws IOException, CorruptDataException {
    DataBlock current = exhausted;
    while (row >= current.rows()) {
      int last = current.rows() - 1;
      RowKey wide = current.continuesAfter(last) ? current.rowKey(last, reader) : null;
      long before = index.offset();
      if (index.next()) {
        current = load();
        if (wide != null && current.continuesAfter(0)) {
          // The last block of a wide row is found by its end, without reading those between.
          index.seek(wide, Bound.END);
          current = load();
        }
      } else if (wide == null) {
        return null;
      }
      requireContinuation(wide, current, before);
      row = wide != null ? 1 : 0;
    }
    return current;
  }

  /** It must lie further on in the file, or the keys would repeat for ever. */
  private void requireContinuation(@Nullable RowKey wide, DataBlock found, long before)
      throws IOException, CorruptDataException {
    boolean joined =
        wide == null
            ? !found.continuesFromBefore(0)
            : index.offset() > before
                && found.continuesFromBefore(0)
                && found.findRow(wide, reader) == 0;
    if (!joined) {
      throw table
          .components()
          .data()
          .corrupt(
              before,
              wide == null
                  ? "a block that ends with its row"
                  : "a row that goes on behind this block",
              wide == null ? "the end of another row behind it" : "the end of the row");
    }
  }

  private DataBlock load() throws IOException {
    DataBlock loaded = table.dataBlock(index.offset(), index.frameBytes(), context);
    block = loaded;
    return loaded;
  }
}
