package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A slice of one row of one file. Bounds are searched once per block, so that the atoms between are
 * returned without a comparison.
 */
final class RowCursor implements AtomCursor {

  /** So that the work of finding them is small if they turn out to be too many for an answer. */
  private static final int PLAIN_MAX = 256;

  private final SSTable table;
  private final RowKey key;
  private final PathRange range;
  private final boolean reversed;
  private final ReadContext context;
  private final ByteReader reader = new ByteReader(new byte[0]);
  private final SearchKey probe = new SearchKey();

  private @Nullable IndexCursor index;
  private @Nullable DataBlock block;
  private long blockOffset;
  private int row;

  /** The atoms still to come in this block are those from {@code low} to before {@code high}. */
  private int low;

  private int high;
  private boolean lastBlock;
  private DeletionTime rowDeletion = DeletionTime.NONE;
  private DeletionTime open = DeletionTime.NONE;

  RowCursor(SSTable table, RowKey key, PathRange range, boolean reversed, ReadContext context) {
    this.table = table;
    this.key = key;
    this.range = range;
    this.reversed = reversed;
    this.context = context;
  }

  /** Finds the first block; false if the file does not have the row. */
  boolean start(Hash128 hash) throws IOException {
    DataBlock first = findFirst(hash);
    if (first == null) {
      return false;
    }
    begin(first);
    return true;
  }

  /**
   * Begins with a block in which the row is known to begin.
   *
   * @param at the place of the block; it may move on afterwards
   * @param rowThere its number in the block
   */
  void startIn(DataBlock begins, IndexCursor at, int rowThere) throws IOException {
    blockOffset = at.offset();
    block = begins;
    row = rowThere;
    boolean here = holdsStart(begins);
    if (here && begins.continuesAfter(row)) {
      index = at.copy();
    }
    DataBlock first = here ? begins : findByIndex();
    if (first == null) {
      throw table
          .components()
          .data()
          .corrupt(blockOffset, "the continuation of row " + key, "another row");
    }
    begin(first);
  }

  private void begin(DataBlock first) throws IOException {
    try {
      rowDeletion = first.rowDeletion(row, reader);
      bounds(first);
      open = first.openBefore(row, reversed ? high : low, reader);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
  }

  @Override
  public DeletionTime rowDeletion() {
    return rowDeletion;
  }

  @Override
  public DeletionTime open() {
    return open;
  }

  @Override
  public @Nullable Atom next() throws IOException {
    while (low == high) {
      if (lastBlock || !advance()) {
        return null;
      }
    }
    Atom atom;
    try {
      atom = current().atom(reversed ? --high : low++, reader);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
    if (!(atom instanceof Cell cell) || !cell.hasValue()) {
      context.figures().countTombstone();
    }
    return atom;
  }

  /** Of the last block that it has to read, forwards. */
  @Override
  public @Nullable PlainCells plain(long atMost) throws IOException {
    DataBlock current = current();
    if (reversed
        || !lastBlock
        || low == high
        || high - low > Math.min(atMost, PLAIN_MAX)
        || !rowDeletion.isNone()
        || !open.isNone()
        || !current.isPlain(low, high)) {
      return null;
    }
    PlainCells cells = context.plainCells();
    try {
      current.find(low, high, cells, reader);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
    return cells;
  }

  /** The block where reading begins, with {@link #row} set; null if the row is not here. */
  private @Nullable DataBlock findFirst(Hash128 hash) throws IOException {
    long cached = table.cachedPosition(key, context.figures());
    long position = cached >= 0 ? cached : table.indexedPosition(hash);
    if (position >= 0) {
      DataBlock found =
          load(RowIndexSpool.offsetOf(position), RowIndexSpool.frameBytesOf(position));
      row = find(found);
      if (row >= 0 && !found.continuesFromBefore(row) && holdsStart(found)) {
        if (cached < 0) {
          table.rememberPosition(key, position, context);
        }
        return found;
      }
    }
    DataBlock found = findByIndex();
    IndexCursor cursor = index;
    if (found != null && cursor != null && !found.continuesFromBefore(row)) {
      table.rememberPosition(
          key, RowIndexSpool.pack(cursor.offset(), cursor.frameBytes()), context);
    }
    return found;
  }

  /** The block where reading begins, by the sparse index. */
  private @Nullable DataBlock findByIndex() throws IOException {
    IndexCursor cursor = new IndexCursor(table, context);
    index = cursor;
    cursor.seek(key, firstBound());
    DataBlock found = load(cursor.offset(), cursor.frameBytes());
    row = find(found);
    return row < 0 ? null : found;
  }

  /** Whether reading can begin in the block where the row begins. */
  private boolean holdsStart(DataBlock found) throws IOException {
    if (!found.continuesAfter(row)) {
      return true;
    }
    if (reversed) {
      // The range's end may be here too, but only if something here lies at or behind it.
      return search(found, range.end(), true) < found.endAtom(row);
    }
    return range.start().equals(Bound.START)
        || search(found, range.start(), false) < found.endAtom(row);
  }

  private Bound firstBound() {
    return reversed ? range.end() : range.start();
  }

  private DataBlock current() {
    if (block == null) {
      throw new IllegalStateException("a cursor was used before it was started");
    }
    return block;
  }

  /** Narrows a block to the range, and notes whether the range ends in it. */
  private void bounds(DataBlock found) throws CorruptDataException {
    int first = found.firstAtom(row);
    int end = found.endAtom(row);
    low =
        range.start().equals(Bound.START) && !startsWithStartMarker(found)
            ? first
            : found.search(row, range.start(), false, order(), probe, reader);
    high =
        range.end().equals(Bound.END) && !endsWithEndMarker(found)
            ? end
            : found.search(row, range.end(), true, order(), probe, reader);
    lastBlock =
        reversed
            ? low > first || !found.continuesFromBefore(row)
            : high < end || !found.continuesAfter(row);
    if (low > high) {
      // An empty range: its end is before its start.
      low = high;
      lastBlock = true;
    }
  }

  private boolean advance() throws IOException {
    IndexCursor cursor = index;
    if (cursor == null) {
      cursor = new IndexCursor(table, context);
      index = cursor;
      // In the row's first block, which only a forward reader leaves this way.
      cursor.seek(key, null);
    }
    boolean moved = reversed ? cursor.previous() : cursor.next();
    if (!moved) {
      throw table.indexSource().corrupt(0, "one more block of a row", "the end of the index");
    }
    DataBlock next = load(cursor.offset(), cursor.frameBytes());
    row = find(next);
    boolean joined =
        row >= 0 && (reversed ? next.continuesAfter(row) : next.continuesFromBefore(row));
    if (!joined) {
      throw table
          .components()
          .data()
          .corrupt(blockOffset, "the continuation of row " + key, "another row");
    }
    try {
      bounds(next);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
    return true;
  }

  private DataBlock load(long offset, int frameBytes) throws IOException {
    blockOffset = offset;
    DataBlock loaded = table.dataBlock(offset, frameBytes, context);
    block = loaded;
    return loaded;
  }

  private int find(DataBlock found) throws IOException {
    try {
      return found.findRow(key, reader);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
  }

  private int search(DataBlock found, Bound bound, boolean inclusive) throws IOException {
    try {
      return found.search(row, bound, inclusive, order(), probe, reader);
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, blockOffset);
    }
  }

  /** A marker at the very start of a row belongs to what is open there; it is no atom. */
  private boolean startsWithStartMarker(DataBlock found) {
    int first = found.firstAtom(row);
    return first < found.endAtom(row) && found.weight(first) == -2;
  }

  private boolean endsWithEndMarker(DataBlock found) {
    int end = found.endAtom(row);
    return end > found.firstAtom(row) && found.weight(end - 1) == 2;
  }

  private PathOrder order() {
    return table.identity().order();
  }
}
