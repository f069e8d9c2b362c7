package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots below a node's data directory: {@code snapshots/NAME} has a manifest, and the files
 * in the same folders as the data directory itself. Blocks. Thread-safe, but taking and deleting
 * snapshots is for one thread at a time.
 */
public final class SnapshotDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(SnapshotDirectory.class);

  /** Where a node has its snapshots, below its data directory. */
  public static final String ROOT = "snapshots";

  /** How many snapshots a node keeps at most. */
  public static final int COUNT_MAX = 1_000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

  /** A snapshot's folders nest no deeper. */
  private static final int DEPTH_MAX = 8;

  private final FileSystem files;

  /** Opens the snapshots of the node whose data directory that is. */
  public SnapshotDirectory(FileSystem files) {
    this.files = files;
  }

  /**
   * A snapshot that is listed.
   *
   * @param manifest what it has
   * @param newBytes of its data files that no older snapshot has: what a copy of it needs where
   *     those are kept already
   * @param freedBytes that deleting it would free: of files that are not live, and in no other
   *     snapshot
   */
  public record Listed(SnapshotManifest manifest, long newBytes, long freedBytes) {}

  /**
   * Refuses names that are none.
   *
   * @throws SnapshotRefusedException if the name breaks the rule
   */
  public static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new SnapshotRefusedException(
          "a snapshot's name has 1 to 64 of the characters A-Z a-z 0-9 _ . -, and begins with a"
              + " letter or digit");
    }
    return name;
  }

  /** The directory of a snapshot, below the data directory. */
  public static String path(String name) {
    return ROOT + "/" + requireName(name);
  }

  /** Deletes what is left of snapshots that a crash interrupted; called before any is taken. */
  public void sweep() throws IOException {
    for (String name : unfinished()) {
      LOG.info("deleted {}: it is not a whole snapshot", files.describe(ROOT + "/" + name));
      deleteTree(ROOT + "/" + name, 0);
    }
  }

  /** The names of directories that are not whole snapshots: without a manifest. */
  public List<String> unfinished() throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : entries()) {
      if (!isComplete(name)) {
        names.add(name);
      }
    }
    return names;
  }

  /**
   * Requires that a snapshot of that name can be taken.
   *
   * @throws SnapshotRefusedException if the name is taken, or there are too many snapshots
   */
  void requireFree(String name) throws IOException {
    List<String> known = entries();
    for (String other : known) {
      // Where a file system takes both for one name, they would share a directory.
      if (other.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))
          && isComplete(other)) {
        throw new SnapshotRefusedException(
            "there is a snapshot named '"
                + other
                + "' already; clear it first, or take another name");
      }
    }
    if (known.size() >= COUNT_MAX) {
      throw new SnapshotRefusedException(
          "there are " + known.size() + " snapshots already; clear some first");
    }
  }

  /** The manifests of all snapshots that can be read, oldest first. */
  public List<SnapshotManifest> manifests() throws IOException {
    List<SnapshotManifest> manifests = new ArrayList<>();
    for (String name : entries()) {
      try {
        manifests.add(SnapshotManifestFile.read(files, ROOT + "/" + name));
      } catch (FileNotFoundException gone) {
        LOG.debug("{} is no snapshot, or not any more", name, gone);
      } catch (UnreadableFileException damaged) {
        LOG.warn("the snapshot {} is not listed: {}", name, damaged.getMessage());
      }
    }
    manifests.sort(
        Comparator.comparingLong(SnapshotManifest::createdMicros)
            .thenComparing(SnapshotManifest::name));
    return manifests;
  }

  /** All snapshots, oldest first. */
  public List<Listed> list(Set<SnapshotManifest.FileKey> live) throws IOException {
    List<SnapshotManifest> manifests = manifests();
    List<Listed> listed = new ArrayList<>();
    Set<SnapshotManifest.FileKey> older = new HashSet<>();
    for (SnapshotManifest manifest : manifests) {
      Set<SnapshotManifest.FileKey> kept = new HashSet<>(live);
      for (SnapshotManifest other : manifests) {
        if (!other.name().equals(manifest.name())) {
          kept.addAll(other.keys());
        }
      }
      listed.add(new Listed(manifest, manifest.bytesBeside(older), manifest.bytesBeside(kept)));
      older.addAll(manifest.keys());
    }
    return listed;
  }

  /**
   * The snapshot of that name.
   *
   * @throws SnapshotRefusedException if there is none, or its manifest is damaged
   */
  public Listed find(String name, Set<SnapshotManifest.FileKey> live) throws IOException {
    requireName(name);
    for (Listed each : list(live)) {
      if (each.manifest().name().equals(name)) {
        return each;
      }
    }
    if (isComplete(name)) {
      throw new SnapshotRefusedException(
          "the manifest of the snapshot '"
              + name
              + "' is damaged; delete "
              + files.describe(path(name))
              + " yourself if you do not need its files any more");
    }
    throw none(name);
  }

  private static SnapshotRefusedException none(String name) {
    return new SnapshotRefusedException(
        "there is no snapshot named '" + name + "'; `snapshot list` names those that there are");
  }

  /**
   * Deletes a snapshot; it is gone for good when this returns, and not a whole one as soon as
   * anything is.
   *
   * @throws SnapshotRefusedException if there is none of that name
   */
  public void delete(String name) throws IOException {
    String path = path(name);
    if (!isComplete(name)) {
      throw none(name);
    }
    files.delete(path + "/" + SnapshotManifestFile.NAME);
    files.syncDirectory(path);
    deleteTree(path, 0);
    files.syncDirectory(ROOT);
  }

  /** The directory of the snapshot of that name, for messages. */
  public String describe(String name) {
    return files.describe(path(name));
  }

  /** Deletes an unfinished snapshot. */
  void discard(String name) throws IOException {
    String path = path(name);
    if (files.exists(path)) {
      deleteTree(path, 0);
    }
  }

  boolean isComplete(String name) throws IOException {
    return files.exists(ROOT + "/" + name + "/" + SnapshotManifestFile.NAME);
  }

  private List<String> entries() throws IOException {
    return files.exists(ROOT) ? files.list(ROOT) : List.of();
  }

  private void deleteTree(String path, int depth) throws IOException {
    List<String> names;
    try {
      names = files.list(path);
    } catch (FileNotFoundException notADirectory) {
      names = List.of();
    }
    if (depth < DEPTH_MAX) {
      for (String name : names) {
        deleteTree(path + "/" + name, depth + 1);
      }
    }
    files.delete(path);
  }

  /** The directories that hold a family's files in a snapshot, the outermost first. */
  static List<String> parents(String path) {
    Set<String> parents = new TreeSet<>();
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      parents.add(path.substring(0, slash));
    }
    parents.add(path);
    return List.copyOf(parents);
  }

  /** The files below a node's data directory. */
  FileSystem files() {
    return files;
  }
}
