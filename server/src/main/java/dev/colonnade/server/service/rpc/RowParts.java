package dev.colonnade.server.service.rpc;

import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.KeySlice;

/** Joins parts of one row that were read in several pages of the store but are sent in one. */
final class RowParts {

  private RowParts() {}

  /**
   * Appends {@code second} to {@code first}; a super column that was cut between them is joined.
   */
  static KeySlice join(KeySlice first, KeySlice second) {
    if (second.getColumnsCount() == 0) {
      return first;
    }
    KeySlice.Builder joined = first.toBuilder();
    int last = first.getColumnsCount() - 1;
    int from = 0;
    if (last >= 0 && continues(first.getColumns(last), second.getColumns(0))) {
      ColumnOrSuperColumn.Builder open = joined.getColumnsBuilder(last);
      open.getSuperColumnBuilder()
          .addAllColumns(second.getColumns(0).getSuperColumn().getColumnsList());
      from = 1;
    }
    return joined
        .addAllColumns(second.getColumnsList().subList(from, second.getColumnsCount()))
        .build();
  }

  private static boolean continues(ColumnOrSuperColumn first, ColumnOrSuperColumn second) {
    return first.hasSuperColumn()
        && second.hasSuperColumn()
        && first.getSuperColumn().getName().equals(second.getSuperColumn().getName());
  }
}
