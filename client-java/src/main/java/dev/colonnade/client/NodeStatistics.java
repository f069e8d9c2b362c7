package dev.colonnade.client;

import java.util.List;

/**
 * What a node has done since it started.
 *
 * @param columnFamilies {@code system} included, by keyspace and name
 */
public record NodeStatistics(
    List<StageStatistics> stages, List<ColumnFamilyStatistics> columnFamilies) {

  /** Keeps copies of the lists. */
  public NodeStatistics {
    stages = List.copyOf(stages);
    columnFamilies = List.copyOf(columnFamilies);
  }
}
