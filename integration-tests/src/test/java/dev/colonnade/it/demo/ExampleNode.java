package dev.colonnade.it.demo;

import dev.colonnade.cli.demo.story.CallCount;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import java.nio.file.Path;

/** A node in this JVM, a client of it, and the calls that the client makes. */
final class ExampleNode implements AutoCloseable {

  private final Node node;
  private final Colonnade client;
  private final CallCount calls = new CallCount();

  private ExampleNode(Node node) {
    this.node = node;
    this.client =
        Colonnade.connect(
            node.clientAddress() + ":" + node.clientPort(),
            ClientOptions.defaults().withListener(calls));
  }

  /** An empty one. */
  static ExampleNode in(Path data) throws NodeStartException {
    return new ExampleNode(Node.start(options(data)));
  }

  /** One with the schema of a file. */
  static ExampleNode in(Path data, Path storageConf) throws NodeStartException {
    return new ExampleNode(Node.start(options(data).withStorageConf(storageConf)));
  }

  Colonnade client() {
    return client;
  }

  String host() {
    return node.clientAddress();
  }

  int port() {
    return node.clientPort();
  }

  CallCount calls() {
    return calls;
  }

  /** A new keyspace. */
  Keyspace create(KeyspaceDefinition keyspace) {
    client.schema().create(keyspace);
    return client.keyspace(keyspace.name());
  }

  @Override
  public void close() {
    client.close();
    node.close();
  }

  private static NodeOptions options(Path data) {
    return NodeOptions.defaults().withDataDirectory(data).withFreePorts();
  }
}
