package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.SchemaRow;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a snapshot consists of, and all that is needed to restore it into another cluster.
 *
 * @param name of the snapshot
 * @param createdMicros when it was asked for, in microseconds since 1970; the same on all nodes
 *     that took it together
 * @param cluster the name of the cluster
 * @param nodeId of the node, 32 hexadecimal digits
 * @param partitioner that made the tokens of the rows
 * @param tokens of the node, in the partitioner's form; not to be changed
 * @param schema the keyspaces of these families, with their histories
 * @param families in the order of keyspaces and names
 * @param accounts of the cluster, without what is secret to it alone; in no order
 * @param moment of all its files; empty if a release took it that did not keep it
 */
public record SnapshotManifest(
    String name,
    long createdMicros,
    String cluster,
    String nodeId,
    String partitioner,
    List<byte[]> tokens,
    List<SchemaRow> schema,
    List<SnapshotFamily> families,
    List<SnapshotAccountField> accounts,
    Optional<SnapshotMoment> moment) {

  /** Copies the lists. */
  public SnapshotManifest {
    tokens = List.copyOf(tokens);
    schema = List.copyOf(schema);
    families = List.copyOf(families);
    accounts = List.copyOf(accounts);
  }

  /** A data file of the node: a generation is given once in a family. */
  public record FileKey(FamilyId family, long generation) {}

  /** Bytes of all files. */
  public long bytes() {
    return families.stream().mapToLong(SnapshotFamily::bytes).sum();
  }

  /** The number of data files. */
  public int files() {
    return families.stream().mapToInt(family -> family.files().size()).sum();
  }

  /** The number of damaged files whose content it lacks. */
  public int missing() {
    return families.stream().mapToInt(SnapshotFamily::missing).sum();
  }

  /** Its data files. */
  public Set<FileKey> keys() {
    Set<FileKey> keys = new HashSet<>();
    for (SnapshotFamily family : families) {
      for (SnapshotFile file : family.files()) {
        keys.add(new FileKey(family.id(), file.generation()));
      }
    }
    return keys;
  }

  /** Bytes of those data files that are not among {@code others}. */
  public long bytesBeside(Set<FileKey> others) {
    long bytes = 0;
    for (SnapshotFamily family : families) {
      for (SnapshotFile file : family.files()) {
        if (!others.contains(new FileKey(family.id(), file.generation()))) {
          bytes += file.bytes();
        }
      }
    }
    return bytes;
  }
}
