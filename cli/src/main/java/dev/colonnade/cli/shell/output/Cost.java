package dev.colonnade.cli.shell.output;

import java.util.List;

/**
 * What the answers of one statement cost inside the cluster, all of them together.
 *
 * @param answers how many there were, pages counted one by one
 * @param coordinators the ids of the nodes that answered
 */
public record Cost(
    int answers,
    List<String> coordinators,
    long sstablesRead,
    long bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstonesScanned,
    long serverMicros) {

  /** Copies the list. */
  public Cost {
    coordinators = List.copyOf(coordinators);
  }
}
