package dev.colonnade.client;

import java.util.List;

/**
 * The statistics of a node since it started.
 *
 * @param columnFamilies {@code system} included, by keyspace and name
 * @param quarantinedFiles its damaged data files, and files of records that could not be applied
 * @param messages between it and other nodes, by kind
 */
public record NodeStatistics(
    List<StageStatistics> stages,
    List<ColumnFamilyStatistics> columnFamilies,
    List<QuarantinedFile> quarantinedFiles,
    List<MessageStatistics> messages) {

  /** Keeps copies of the lists. */
  public NodeStatistics {
    stages = List.copyOf(stages);
    columnFamilies = List.copyOf(columnFamilies);
    quarantinedFiles = List.copyOf(quarantinedFiles);
    messages = List.copyOf(messages);
  }
}
