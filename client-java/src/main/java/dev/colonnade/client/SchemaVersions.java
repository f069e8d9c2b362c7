package dev.colonnade.client;

import java.util.List;

/**
 * Which nodes have which version of the schema.
 *
 * @param versions each once, the one of most nodes first
 * @param agreed whether all nodes that could be asked know the same
 */
public record SchemaVersions(List<Version> versions, boolean agreed) {

  /**
   * A version and the nodes that have it.
   *
   * @param version equal content gives equal versions; empty: nodes that could not be asked
   */
  public record Version(String version, List<String> nodeIds) {

    /** Keeps a copy of the list. */
    public Version {
      nodeIds = List.copyOf(nodeIds);
    }
  }

  /** Keeps a copy of the list. */
  public SchemaVersions {
    versions = List.copyOf(versions);
  }
}
