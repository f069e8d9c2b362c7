package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes, at start, the components of data files that the manifest does not name: unfinished
 * outputs, merged inputs, and files of dropped families. Leaves files alone whose names this store
 * would not give.
 */
final class StrayFiles {

  private static final Logger LOG = LoggerFactory.getLogger(StrayFiles.class);

  /** Where families have their directories. */
  static final String ROOT = "keyspaces";

  private StrayFiles() {}

  /**
   * Deletes such files in the directories of all families.
   *
   * @param kept families that are not open but keep their files
   */
  static void delete(
      FileSystem files, ColumnFamilyStores families, Set<FamilyId> kept, Manifest manifest)
      throws IOException {
    for (String keyspace : files.list(ROOT)) {
      for (String directory : files.list(ROOT + "/" + keyspace)) {
        int dash = directory.lastIndexOf('-');
        FamilyId id;
        try {
          id = FamilyId.parse(directory.substring(dash + 1));
        } catch (IllegalArgumentException notOurs) {
          LOG.warn("left {} alone: its name is not that of a column family", directory);
          continue;
        }
        String path = ROOT + "/" + keyspace + "/" + directory;
        boolean known = families.find(id) != null || kept.contains(id);
        deleteIn(files, path, known ? kept(manifest.family(id)) : Set.of());
        if (!known && files.list(path).isEmpty()) {
          files.delete(path);
        }
      }
    }
  }

  private static Set<Long> kept(FamilyState state) {
    Set<Long> kept = new HashSet<>(state.files().keySet());
    kept.addAll(state.quarantined().keySet());
    return kept;
  }

  /**
   * Refuses to go on if there are data files.
   *
   * @throws CorruptFileException if there is one, which means that the manifest is missing
   */
  static void requireNone(FileSystem files) throws IOException {
    if (!files.exists(ROOT)) {
      return;
    }
    for (String keyspace : files.list(ROOT)) {
      for (String directory : files.list(ROOT + "/" + keyspace)) {
        for (String name : files.list(ROOT + "/" + keyspace + "/" + directory)) {
          if (SSTableIdentity.generationOf(name).isPresent()) {
            throw new CorruptFileException(
                files.describe(Manifest.NAME),
                0,
                "the list of live data files, since there are some, as "
                    + files.describe(ROOT + "/" + keyspace + "/" + directory + "/" + name),
                "no file");
          }
        }
      }
    }
  }

  private static void deleteIn(FileSystem files, String directory, Set<Long> live)
      throws IOException {
    for (String name : files.list(directory)) {
      OptionalLong generation = SSTableIdentity.generationOf(name);
      boolean temporary = name.endsWith(".tmp");
      if (generation.isPresent() && (temporary || !live.contains(generation.getAsLong()))) {
        LOG.info("deleted {}/{}: it is not in the live set of any column family", directory, name);
        files.delete(directory + "/" + name);
      }
    }
  }
}
