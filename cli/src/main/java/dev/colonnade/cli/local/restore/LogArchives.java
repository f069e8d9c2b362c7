package dev.colonnade.cli.local.restore;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The archived log that is restored on top of snapshots.
 *
 * @param directories each of one node, with its id for a name, or with such directories in it
 * @param untilMicros what was written with a later timestamp is left out; microseconds since 1970
 * @param acceptGaps whether to restore although a part of the log is missing
 */
public record LogArchives(List<Path> directories, long untilMicros, boolean acceptGaps) {

  private static final Pattern NODE_ID = Pattern.compile("[0-9a-f]{32}");

  /** Copies the list. */
  public LogArchives {
    directories = List.copyOf(directories);
  }

  /**
   * The directory of each node, by its id.
   *
   * @throws RestoreException if one of the directories is no archive, or a node is there twice
   */
  SortedMap<String, Path> nodes() throws IOException, RestoreException {
    SortedMap<String, Path> nodes = new TreeMap<>();
    for (Path directory : directories) {
      int before = nodes.size();
      if (!Files.isDirectory(directory)) {
        throw new RestoreException(directory + " is no directory; nothing was restored");
      }
      add(directory, nodes);
      if (nodes.size() == before) {
        try (DirectoryStream<Path> inside =
            Files.newDirectoryStream(directory, Files::isDirectory)) {
          for (Path each : inside) {
            add(each, nodes);
          }
        }
      }
      if (nodes.size() == before) {
        throw new RestoreException(
            directory
                + " is no archive of the commit log: neither it nor a directory in it is named by a"
                + " node's id; nothing was restored");
      }
    }
    return nodes;
  }

  private static void add(Path directory, SortedMap<String, Path> nodes) throws RestoreException {
    String name = String.valueOf(directory.toAbsolutePath().normalize().getFileName());
    if (NODE_ID.matcher(name).matches() && nodes.put(name, directory) != null) {
      throw new RestoreException(
          "node "
              + name
              + " has two archives here; put its segments into one directory. Nothing was restored");
    }
  }
}
