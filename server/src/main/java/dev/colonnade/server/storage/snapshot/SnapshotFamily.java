package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.model.FamilyId;
import java.util.List;

/**
 * What a snapshot has of one column family.
 *
 * @param id of the family
 * @param keyspace its keyspace's name
 * @param name of the family
 * @param directory of its files, below the snapshot's own directory and, with the same path, below
 *     the node's data directory
 * @param truncation the number of the last truncation, in microseconds since 1970; 0 if there was
 *     none
 * @param missing how many damaged files were set aside when it was taken: what they held is not in
 *     the snapshot
 * @param files by their generations, ascending
 */
public record SnapshotFamily(
    FamilyId id,
    String keyspace,
    String name,
    String directory,
    long truncation,
    int missing,
    List<SnapshotFile> files) {

  /** Copies the list. */
  public SnapshotFamily {
    files = List.copyOf(files);
  }

  /** Bytes of all files. */
  public long bytes() {
    return files.stream().mapToLong(SnapshotFile::bytes).sum();
  }
}
