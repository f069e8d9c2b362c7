package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.node.platform.OsFileSystem;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A directory with copies of snapshots: below it one for each node, by its id, in which the copies
 * are kept as a node keeps its snapshots ({@code NODE/snapshots/NAME}). Blocks.
 *
 * @param root of it
 */
record SnapshotStore(Path root) {

  private static final Pattern NODE = Pattern.compile("[0-9a-f]{32}");
  private static final String LOCK = "lock";

  /** The directories of all nodes, in the order of their ids. */
  List<Path> nodes() throws CommandException {
    if (!Files.isDirectory(root)) {
      throw CommandException.misconfigured(
          root + " is not a directory", new FileNotFoundException(root.toString()));
    }
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .filter(Files::isDirectory)
          .filter(each -> NODE.matcher(String.valueOf(each.getFileName())).matches())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + root + ": " + e, e);
    }
  }

  /**
   * The directory of a node, whether or not it is there.
   *
   * @throws CommandException if the id is none
   */
  Path node(String id) throws CommandException {
    if (!NODE.matcher(id).matches()) {
      throw CommandException.failed(
          "the manifest names a node '" + id + "', which is no id", new IOException("bad id"));
    }
    return root.resolve(id);
  }

  /** Keeps other commands from changing the copies of a node until it is closed. */
  static Closeable lock(OsFileSystem node) throws IOException, CommandException {
    try {
      return node.lock(LOCK);
    } catch (LockedException busy) {
      throw CommandException.failed(
          "another command is changing the copies in " + node.describe("") + "; try again later",
          busy);
    }
  }
}
