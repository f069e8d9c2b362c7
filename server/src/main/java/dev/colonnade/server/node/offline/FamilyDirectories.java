package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds the directories of families below a place, and the data files in each. */
final class FamilyDirectories {

  /** Where a node has those of its keyspaces. */
  static final String ROOT = "keyspaces";

  /** A root, keyspaces, a keyspace, a family. */
  private static final int DEPTH_MAX = 3;

  private static final int HEX = 16;

  private FamilyDirectories() {}

  /**
   * A directory with data files, or one whose name is that of a family.
   *
   * @param path of it, absolute
   * @param family whose id its name ends with, if it does
   * @param generations of the files in it, quarantined ones left out
   */
  record FoundDirectory(Path path, Optional<FamilyId> family, TreeSet<Long> generations) {

    /** The family's name as the directory's shows it; empty if it shows none. */
    String familyName() {
      return family.isEmpty() ? "" : decode(dropId(path.getFileName().toString()));
    }

    /** The keyspace, which is what the directory around is called; empty for other directories. */
    String keyspace() {
      Path parent = path.getParent();
      return family.isEmpty() || parent == null || parent.getFileName() == null
          ? ""
          : parent.getFileName().toString();
    }

    private static String dropId(String name) {
      return name.substring(0, name.lastIndexOf('-'));
    }
  }

  /** Lists them, sorted by path. Directories that have a manifest of their own are left out. */
  static List<FoundDirectory> below(Path start) throws IOException {
    List<FoundDirectory> found = new ArrayList<>();
    find(start, 0, found);
    return found;
  }

  private static void find(Path directory, int depth, List<FoundDirectory> found)
      throws IOException {
    TreeSet<Long> generations = new TreeSet<>();
    List<Path> below = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory).sorted()) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        if (Files.isDirectory(entry)) {
          below.add(entry);
        } else {
          String name = entry.getFileName().toString();
          OptionalLong generation = SSTableIdentity.generationOf(name);
          if (generation.isPresent() && !name.endsWith(".tmp")) {
            generations.add(generation.getAsLong());
          }
        }
      }
    }
    Optional<FamilyId> family = idOf(directory.getFileName());
    if (family.isPresent() || !generations.isEmpty()) {
      found.add(new FoundDirectory(directory, family, generations));
    }
    if (depth < DEPTH_MAX) {
      for (Path each : below) {
        if (!Files.exists(each.resolve(Manifest.NAME))) {
          find(each, depth + 1, found);
        }
      }
    }
  }

  private static Optional<FamilyId> idOf(Path name) {
    String text = name == null ? "" : name.toString();
    int dash = text.lastIndexOf('-');
    if (dash < 1) {
      return Optional.empty();
    }
    try {
      return Optional.of(FamilyId.parse(text.substring(dash + 1)));
    } catch (IllegalArgumentException other) {
      return Optional.empty();
    }
  }

  /** Reads what stands for bytes other than letters, digits and underscores: a point and hex. */
  private static String decode(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '.' && i + 2 < name.length()) {
        bytes.write(
            Character.digit(name.charAt(i + 1), HEX) * HEX
                + Character.digit(name.charAt(i + 2), HEX));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
