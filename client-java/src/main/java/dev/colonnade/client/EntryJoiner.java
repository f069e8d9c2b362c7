package dev.colonnade.client;

import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.SuperColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins super columns that were cut at the end of a page. For one row, one thread. */
final class EntryJoiner {

  private SuperColumn.@Nullable Builder open;

  /**
   * Takes the next part and returns the entries that it completes.
   *
   * @param continues the last entry of the part continues in the next
   */
  List<ColumnOrSuperColumn> join(List<ColumnOrSuperColumn> part, boolean continues) {
    List<ColumnOrSuperColumn> whole = new ArrayList<>(part.size() + 1);
    for (ColumnOrSuperColumn entry : part) {
      if (open != null && open.getName().equals(entry.getSuperColumn().getName())) {
        open.addAllColumns(entry.getSuperColumn().getColumnsList());
        continue;
      }
      whole.addAll(end());
      if (entry.hasSuperColumn()) {
        open = entry.getSuperColumn().toBuilder();
      } else {
        whole.add(entry);
      }
    }
    if (!continues) {
      whole.addAll(end());
    }
    return whole;
  }

  /** The incomplete rest. */
  List<ColumnOrSuperColumn> end() {
    if (open == null) {
      return List.of();
    }
    ColumnOrSuperColumn last = ColumnOrSuperColumn.newBuilder().setSuperColumn(open).build();
    open = null;
    return List.of(last);
  }
}
