package dev.colonnade.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A named set of columns.
 *
 * @param columns in what was read, in the order of the family's {@code compare_subcolumns_with}
 */
public record SuperColumn<S, N, V>(S name, List<Column<N, V>> columns) implements Entry<S> {

  /** Keeps a copy of the list. */
  public SuperColumn {
    columns = List.copyOf(columns);
  }

  /** A super column to write, with the client's clock and the family's time to live. */
  public static <S, N, V> SuperColumn<S, N, V> of(S name, Map<N, V> columns) {
    Collection<Column<N, V>> written = AsyncColumns.columns(columns);
    return new SuperColumn<>(name, List.copyOf(written));
  }

  /** The value of the column of that name; empty if there is none here. */
  public Optional<V> get(N column) {
    return columns.stream()
        .filter(each -> each.name().equals(column))
        .findFirst()
        .map(Column::value);
  }

  /** Values by name, as {@link Column#asMap} makes them. */
  public Map<N, V> asMap() {
    return Column.asMap(columns);
  }
}
