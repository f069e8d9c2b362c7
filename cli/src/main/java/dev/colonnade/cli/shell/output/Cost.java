package dev.colonnade.cli.shell.output;

import java.util.List;

/**
 * What the answers of one statement cost inside the cluster, all of them together.
 *
 * @param answers how many there were, pages counted one by one
 * @param coordinators the ids of the nodes that coordinated them
 * @param replicas the ids of the nodes that these asked, sorted
 * @param replicasAnswered those of them whose answers were waited for, sorted
 */
public record Cost(
    int answers,
    List<String> coordinators,
    List<String> replicas,
    List<String> replicasAnswered,
    long sstablesRead,
    long bloomRejections,
    long blocksRead,
    long blockCacheHits,
    long tombstonesScanned,
    long serverMicros) {

  /** Copies the lists. */
  public Cost {
    coordinators = List.copyOf(coordinators);
    replicas = List.copyOf(replicas);
    replicasAnswered = List.copyOf(replicasAnswered);
  }
}
