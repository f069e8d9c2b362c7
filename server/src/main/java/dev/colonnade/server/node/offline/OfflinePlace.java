package dev.colonnade.server.node.offline;

import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Where the manifest is, or else the directory itself.
 *
 * @param root the directory with the manifest, or else the one that is looked at
 * @param hasManifest whether a manifest says which files are live
 * @param start what is looked at
 * @param generation of the only file that is looked at, if it was one
 */
record OfflinePlace(Path root, boolean hasManifest, Path start, OptionalLong generation) {

  /** Below what {@code server --data} names. */
  private static final String DATA = "data";

  private static final String PLUG_INS = "plugins";

  /** What a node appends to the names of a damaged file. */
  private static final String QUARANTINED = ".quarantined";

  static OfflinePlace of(Path path) throws OfflineException {
    Path start = path.toAbsolutePath().normalize();
    OptionalLong generation = OptionalLong.empty();
    if (Files.isRegularFile(start)) {
      String name = start.getFileName().toString();
      generation =
          SSTableIdentity.generationOf(
              name.endsWith(QUARANTINED)
                  ? name.substring(0, name.length() - QUARANTINED.length())
                  : name);
      if (generation.isEmpty()) {
        throw new OfflineException(
            path + " is no data file: these are called like 000000000001-Data.db");
      }
      start = Objects.requireNonNull(start.getParent(), "an absolute file has a directory");
    }
    if (!Files.isDirectory(start)) {
      throw new OfflineException("there is no directory " + path);
    }
    if (!isManaged(start) && isManaged(start.resolve(DATA))) {
      start = start.resolve(DATA);
    }
    Path keyspaces = null;
    for (Path each = start; each != null; each = each.getParent()) {
      if (isManaged(each)) {
        boolean managed =
            each.equals(start) || each.resolve(FamilyDirectories.ROOT).equals(keyspaces);
        return managed
            ? new OfflinePlace(each, true, start, generation)
            : new OfflinePlace(start, false, start, generation);
      }
      keyspaces = each;
    }
    return new OfflinePlace(start, false, start, generation);
  }

  private static boolean isManaged(Path directory) {
    return Files.exists(directory.resolve(Manifest.NAME))
        || Files.exists(directory.resolve(Manifest.COPY_NAME));
  }

  /** Where jars with the user's classes are, unless the node's settings say otherwise. */
  Path plugIns() {
    return root.resolveSibling(PLUG_INS);
  }

  /** What is searched for directories of families. */
  Path searched() {
    Path keyspaces = root.resolve(FamilyDirectories.ROOT);
    return hasManifest && start.equals(root) && Files.isDirectory(keyspaces) ? keyspaces : start;
  }
}
