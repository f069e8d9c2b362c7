package dev.colonnade.client;

import java.util.List;
import java.util.Optional;

/**
 * What was found in one row.
 *
 * @param entries columns, or super columns, in the order of the slice
 * @param <C> entries
 */
public record Row<K, C>(K key, List<C> entries) {

  /** Keeps a copy of the list. */
  public Row {
    entries = List.copyOf(entries);
  }

  /** Whether nothing was found. */
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /** The entry of that name; empty if it was not found. */
  public Optional<C> get(Object name) {
    return entries.stream()
        .filter(entry -> entry instanceof Entry<?> named && named.name().equals(name))
        .findFirst();
  }
}
