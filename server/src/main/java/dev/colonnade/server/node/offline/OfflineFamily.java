package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.util.List;

/**
 * A family in a directory.
 *
 * @param keyspace empty if it is not known: a directory of data files need not say it
 * @param name empty if it is not known
 * @param id of the family
 * @param partitioner the name of the one that made the tokens
 * @param order of columns
 * @param directory of its files, relative to the root; empty for the root itself
 * @param files by generation
 */
public record OfflineFamily(
    String keyspace,
    String name,
    FamilyId id,
    String partitioner,
    PathOrder order,
    String directory,
    List<OfflineFile> files) {

  /** Copies the list. */
  public OfflineFamily {
    files = List.copyOf(files);
  }

  /** Keyspace and name, or the id if these are not known. */
  public String title() {
    return name.isEmpty() ? id.toString() : keyspace.isEmpty() ? name : keyspace + "." + name;
  }

  /** The files whose rows count: those that a node would serve. */
  public List<OfflineFile> live() {
    return files.stream().filter(file -> file.standing() == OfflineFile.Standing.LIVE).toList();
  }
}
