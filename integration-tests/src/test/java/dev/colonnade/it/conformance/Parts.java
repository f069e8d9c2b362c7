package dev.colonnade.it.conformance;

import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.KeySlice;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins an answer that came in parts. A part that ends inside a row or a super column says so, and
 * the next one repeats the key or the name.
 */
final class Parts {

  private final List<KeySlice> rows = new ArrayList<>();
  private boolean rowContinues;
  private boolean superColumnContinues;

  void add(List<KeySlice> part, boolean partRowContinues, boolean partSuperColumnContinues) {
    int from = 0;
    if (rowContinues && !part.isEmpty()) {
      KeySlice last = rows.remove(rows.size() - 1);
      KeySlice next = part.get(0);
      if (!last.getKey().equals(next.getKey())) {
        throw new AssertionError(
            "a row continues on the next page, but that begins with another key: "
                + TraceAnswers.hex(last.getKey())
                + ", "
                + TraceAnswers.hex(next.getKey()));
      }
      rows.add(join(last, next));
      from = 1;
    }
    rows.addAll(part.subList(from, part.size()));
    rowContinues = partRowContinues;
    superColumnContinues = partSuperColumnContinues;
  }

  /** A part of a slice of one row. */
  void addColumns(List<ColumnOrSuperColumn> columns, boolean partSuperColumnContinues) {
    add(
        List.of(KeySlice.newBuilder().addAllColumns(columns).build()),
        true,
        partSuperColumnContinues);
  }

  List<KeySlice> rows() {
    return rows;
  }

  /** The columns of all parts of a slice of one row. */
  List<ColumnOrSuperColumn> columns() {
    return rows.isEmpty() ? List.of() : rows.get(0).getColumnsList();
  }

  private KeySlice join(KeySlice last, KeySlice next) {
    if (!superColumnContinues || next.getColumnsCount() == 0) {
      return last.toBuilder().addAllColumns(next.getColumnsList()).build();
    }
    int open = last.getColumnsCount() - 1;
    ColumnOrSuperColumn.Builder joined = last.getColumns(open).toBuilder();
    ColumnOrSuperColumn rest = next.getColumns(0);
    if (!joined.getSuperColumn().getName().equals(rest.getSuperColumn().getName())) {
      throw new AssertionError(
          "a super column continues on the next page, but that begins with another name");
    }
    joined.getSuperColumnBuilder().addAllColumns(rest.getSuperColumn().getColumnsList());
    return last.toBuilder()
        .setColumns(open, joined)
        .addAllColumns(next.getColumnsList().subList(1, next.getColumnsCount()))
        .build();
  }
}
