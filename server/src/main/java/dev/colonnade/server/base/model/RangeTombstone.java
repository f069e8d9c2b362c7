package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * The deletion of everything between two bounds. As a position it stands at its start, so that a
 * sorted set of disjoint ones can be searched.
 *
 * @param start must sort before {@code end}
 * @param deletion must not be {@link DeletionTime#NONE}
 */
public record RangeTombstone(Bound start, Bound end, DeletionTime deletion) implements Position {

  @Override
  public byte[] top() {
    return start.top();
  }

  @Override
  public byte @Nullable [] sub() {
    return start.sub();
  }

  @Override
  public int weight() {
    return start.weight();
  }
}
