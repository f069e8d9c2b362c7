package dev.colonnade.client;

import java.util.List;

/**
 * A named set of columns.
 *
 * @param columns in what was read, in the order of the family's {@code compare_subcolumns_with}
 */
public record SuperColumn<S, N, V>(S name, List<Column<N, V>> columns) {

  /** Keeps a copy of the list. */
  public SuperColumn {
    columns = List.copyOf(columns);
  }
}
