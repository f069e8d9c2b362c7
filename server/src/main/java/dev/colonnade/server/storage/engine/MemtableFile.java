package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.memtable.MemtableRow;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Writes a memtable that takes no more writes to a data file. Blocks. */
final class MemtableFile {

  private MemtableFile() {}

  /**
   * Writes all rows, except what deletions in the same memtable hide.
   *
   * @param writer is closed in any case
   * @param steps grows while it is written
   * @return the file with one reference, durable; null if there was nothing to keep
   */
  static @Nullable SSTable write(
      Memtable memtable, PathOrder order, SSTableWriter writer, AtomicLong steps)
      throws IOException {
    try (writer) {
      for (Map.Entry<RowKey, MemtableRow> row : memtable.rows().entrySet()) {
        writeRow(row.getKey(), row.getValue().state(), order, writer, steps);
      }
      return writer.rows() == 0 ? null : writer.finish();
    }
  }

  /** As {@link #write}, for a caller that is not watched. */
  static @Nullable SSTable write(Memtable memtable, PathOrder order, SSTableWriter writer)
      throws IOException {
    return write(memtable, order, writer, new AtomicLong());
  }

  private static void writeRow(
      RowKey key, RowState state, PathOrder order, SSTableWriter writer, AtomicLong steps)
      throws IOException {
    AtomCursor cursor =
        MergingCursor.of(List.of(state.cursor(PathRange.ALL, false, order)), order, false);
    writer.startRow(key, cursor.rowDeletion(), cursor.open());
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      writer.add(atom);
      steps.incrementAndGet();
    }
    writer.endRow();
    steps.incrementAndGet();
  }
}
