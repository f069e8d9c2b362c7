package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A node on loopback with free ports and a temporary directory, which is removed with the node,
 * also when the process is interrupted.
 */
final class TemporaryNode implements AutoCloseable {

  private final Path directory;
  private final Thread hook = new Thread(this::closeQuietly, "shutdown");
  private @Nullable Node node;
  private boolean closed;

  private TemporaryNode(Path directory) {
    this.directory = directory;
  }

  static TemporaryNode start() throws CommandException {
    TemporaryNode made = new TemporaryNode(TemporaryFolder.make("colonnade-"));
    Runtime.getRuntime().addShutdownHook(made.hook);
    try {
      made.startNode();
      return made;
    } catch (CommandException | RuntimeException e) {
      made.closeQuietly();
      throw e;
    }
  }

  Path directory() {
    return directory;
  }

  synchronized int clientPort() {
    if (node == null) {
      throw new IllegalStateException("the node is not running");
    }
    return node.clientPort();
  }

  /** Stops the node and removes its directory. */
  @Override
  public void close() throws IOException {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: either the hook called this, or it will find nothing to do.
      return;
    }
  }

  private synchronized void startNode() throws CommandException {
    if (closed) {
      return;
    }
    node =
        Nodes.start(
            NodeOptions.defaults().withDataDirectory(directory.resolve("data")).withFreePorts());
  }

  private synchronized void end() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (node != null) {
      node.close();
    }
    TemporaryFolder.remove(directory);
  }

  /** For cleaning up after another failure, which is the one to report. */
  private void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("colonnade: " + directory + " could not be removed: " + e);
    }
  }
}
