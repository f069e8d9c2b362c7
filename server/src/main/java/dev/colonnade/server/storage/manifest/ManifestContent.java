package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.FamilyId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the manifest of a node says that does not run, read without changing it. A file that was cut
 * in its last edit is no damage: a crash does that.
 *
 * @param identity of the node
 * @param families the live files of each family; unmodifiable
 * @param damage of one of the two files, while the other one serves; at most one
 */
public record ManifestContent(
    NodeIdentity identity,
    SortedMap<FamilyId, FamilyState> families,
    List<UnreadableFileException> damage) {

  /** Copies the collections. */
  public ManifestContent {
    families = Collections.unmodifiableSortedMap(new TreeMap<>(families));
    damage = List.copyOf(damage);
  }

  /**
   * Reads the better of the two files. Blocks.
   *
   * @throws FileNotFoundException if there is neither
   * @throws UnreadableFileException if there is none that can be used
   */
  public static ManifestContent read(FileSystem files) throws IOException {
    List<UnreadableFileException> damage = new ArrayList<>();
    ManifestReader first = read(files, Manifest.NAME, damage);
    ManifestReader copy = read(files, Manifest.COPY_NAME, damage);
    ManifestReader better =
        first == null || (copy != null && copy.edits() > first.edits()) ? copy : first;
    if (better == null) {
      if (damage.isEmpty()) {
        throw new FileNotFoundException(files.describe(Manifest.NAME) + " does not exist");
      }
      throw damage.get(0);
    }
    return new ManifestContent(better.identity(), better.families(), damage);
  }

  private static @Nullable ManifestReader read(
      FileSystem files, String name, List<UnreadableFileException> damage) throws IOException {
    try {
      return ManifestReader.read(files, name);
    } catch (UnreadableFileException unusable) {
      damage.add(unusable);
      return null;
    } catch (FileNotFoundException missing) {
      // A release without copies leaves none; without both, the caller is told.
      return null;
    }
  }
}
