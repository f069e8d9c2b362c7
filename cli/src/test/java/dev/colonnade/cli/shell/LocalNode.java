package dev.colonnade.cli.shell;

import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.IOException;
import java.nio.file.Path;

/** A node in this process, on loopback with free ports. */
public final class LocalNode implements AutoCloseable {

  private final Node node;

  private LocalNode(Node node) {
    this.node = node;
  }

  public static LocalNode start(Path data) throws Exception {
    return new LocalNode(
        Node.start(NodeOptions.defaults().withDataDirectory(data).withFreePorts()));
  }

  /** One that takes values of other lengths. */
  static LocalNode start(Path data, long maxValueBytes) throws Exception {
    return new LocalNode(
        Node.start(
            NodeOptions.defaults()
                .withDataDirectory(data)
                .withFreePorts()
                .with(RequestSettings.MAX_VALUE_BYTES, maxValueBytes)));
  }

  public int port() {
    return node.clientPort();
  }

  @Override
  public void close() throws IOException {
    node.close();
  }
}
