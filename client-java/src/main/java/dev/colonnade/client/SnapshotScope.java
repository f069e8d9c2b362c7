package dev.colonnade.client;

import java.util.List;

/**
 * What a snapshot contains, and which nodes take it. Immutable.
 *
 * @param keyspaces empty for all but {@code system}
 * @param families of the keyspace, if only one is named; empty for all
 * @param everywhere whether every node of the cluster takes it, at once
 */
public record SnapshotScope(List<String> keyspaces, List<String> families, boolean everywhere) {

  /** Everything, on all nodes. */
  public static final SnapshotScope CLUSTER = new SnapshotScope(List.of(), List.of(), true);

  /** Everything, on the connected node. */
  public static final SnapshotScope NODE = new SnapshotScope(List.of(), List.of(), false);

  /** Copies the lists. */
  public SnapshotScope {
    keyspaces = List.copyOf(keyspaces);
    families = List.copyOf(families);
  }
}
