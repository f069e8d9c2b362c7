package dev.colonnade.client;

import java.util.List;

/**
 * What was found in one row.
 *
 * @param entries columns, or super columns, in the order of the slice
 */
public record Row<K, C>(K key, List<C> entries) {

  /** Keeps a copy of the list. */
  public Row {
    entries = List.copyOf(entries);
  }
}
