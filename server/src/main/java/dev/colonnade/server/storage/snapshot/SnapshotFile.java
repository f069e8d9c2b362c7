package dev.colonnade.server.storage.snapshot;

import java.util.List;

/**
 * A data file of a snapshot.
 *
 * @param generation of the data file, unique in its family on this node
 * @param components the files that it consists of, in the order of their names
 */
public record SnapshotFile(long generation, List<SnapshotComponent> components) {

  /** Copies the list. */
  public SnapshotFile {
    components = List.copyOf(components);
  }

  /** Bytes of all components. */
  public long bytes() {
    return components.stream().mapToLong(SnapshotComponent::bytes).sum();
  }

  /**
   * One file.
   *
   * @param name within the family's directory
   * @param bytes its length
   * @param checksum CRC32C of its bytes
   */
  public record SnapshotComponent(String name, long bytes, int checksum) {}
}
