package dev.colonnade.client;

/**
 * What lies under a row by a name: a column in a Standard family, a super column in a Super one.
 */
public sealed interface Entry<N> permits Column, SuperColumn {

  /** Places it in its row, in the comparator's order. */
  N name();
}
