package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.v1.KeySlice;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes rows as the repeated field of a message. For one thread at a time. */
final class EncodedRows {

  /** Upper bound of what surrounds a row's key. */
  static final int ROW_BYTES = 16;

  private static final int KEY = ByteChunks.tag(KeySlice.KEY_FIELD_NUMBER);

  private final int rowTag;
  private final Slice slice;
  private final ColumnComparator topType;
  private final ByteChunks rows = new ByteChunks();

  /**
   * Starts without rows.
   *
   * @param field the number of the repeated field in its message
   */
  EncodedRows(int field, Slice slice, ColumnComparator topType) {
    this.rowTag = ByteChunks.tag(field);
    this.slice = slice;
    this.topType = topType;
  }

  /**
   * Returns the columns of a row, to be filled and then added.
   *
   * @param from where the row's part before this one ended; null at its start
   */
  EncodedColumns start(@Nullable SlicePosition from) {
    return new EncodedColumns(KeySlice.COLUMNS_FIELD_NUMBER, slice, topType, from);
  }

  /**
   * Makes what takes the rows of one page while it is read.
   *
   * @param limitBytes how much the page may hold
   * @param check throws if the page is no longer wanted
   */
  PageSink sink(long limitBytes, Runnable check) {
    return new PageSink() {
      private long left = limitBytes;
      private @Nullable EncodedColumns last;

      @Override
      public CellSink row(RowKey key, Optional<SlicePosition> from) {
        check.run();
        EncodedColumns before = last;
        left -= ROW_BYTES + key.key().length + (before == null ? 0 : before.bytes());
        EncodedColumns row =
            new EncodedColumns(
                KeySlice.COLUMNS_FIELD_NUMBER,
                slice,
                topType,
                from.orElse(null),
                new EncodedColumns.Room(left, check),
                before == null ? new ByteChunks() : before.behind());
        last = row;
        return row;
      }
    };
  }

  /** Adds a row with its columns, which are used up. */
  void add(RowKey key, EncodedColumns columns) {
    ByteChunks encoded = columns.finish();
    long size = encoded.size();
    boolean withKey = key.key().length > 0;
    if (withKey) {
      size += 1 + ByteChunks.sizeWithLength(key.key().length);
    }
    rows.varint(rowTag);
    rows.varint(size);
    if (withKey) {
      rows.field(KEY, key.key());
    }
    rows.take(encoded);
  }

  boolean isEmpty() {
    return rows.size() == 0;
  }

  /** The heap of what was encoded. */
  long heapBytes() {
    return rows.heapBytes();
  }

  /** Everything that was added; to be used once. */
  ByteChunks finish() {
    return rows;
  }
}
