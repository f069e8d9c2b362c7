package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.KeySlice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins rows that were cut at the end of a page. For one thread. */
final class RowJoiner {

  private final EntryJoiner entries = new EntryJoiner();
  private @Nullable ByteString openKey;
  private List<ColumnOrSuperColumn> open = new ArrayList<>();

  /**
   * Takes the next part and returns the rows that it completes.
   *
   * @param rowContinues the last row of the part continues in the next
   * @param superColumnContinues its last super column does
   */
  List<KeySlice> join(List<KeySlice> part, boolean rowContinues, boolean superColumnContinues) {
    List<KeySlice> whole = new ArrayList<>(part.size() + 1);
    for (int i = 0; i < part.size(); i++) {
      KeySlice row = part.get(i);
      boolean last = i == part.size() - 1;
      if (!row.getKey().equals(openKey)) {
        whole.addAll(end());
        openKey = row.getKey();
      }
      open.addAll(entries.join(row.getColumnsList(), last && superColumnContinues));
    }
    if (!rowContinues) {
      whole.addAll(end());
    }
    return whole;
  }

  /** The incomplete row. */
  List<KeySlice> end() {
    if (openKey == null) {
      return List.of();
    }
    open.addAll(entries.end());
    KeySlice row = KeySlice.newBuilder().setKey(openKey).addAllColumns(open).build();
    openKey = null;
    open = new ArrayList<>();
    return List.of(row);
  }
}
