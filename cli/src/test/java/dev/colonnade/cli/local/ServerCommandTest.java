package dev.colonnade.cli.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class ServerCommandTest {

  @Test
  void withoutOptionsItIsTheNodeOfTheDefaults() {
    assertEquals(
        NodeOptions.defaults().withDataDirectory(Path.of("data").toAbsolutePath()), parsed());
  }

  @Test
  void everyOptionReachesTheNode() {
    NodeOptions options =
        parsed(
            "--data",
            "/var/colonnade",
            "--listen",
            "::1",
            "--client-port",
            "0",
            "--peer-port",
            "7001",
            "--http-port",
            "65535",
            "--storage-conf",
            "conf.xml",
            "--partitioner",
            "ByteOrderedPartitioner",
            "--commit-log-sync",
            "batch",
            "--hint-interval",
            "60");

    assertEquals(
        NodeOptions.defaults()
            .withDataDirectory(Path.of("/var/colonnade"))
            .withListenAddress("::1")
            .withClientPort(0)
            .withPeerPort(7001)
            .withHttpPort(65_535)
            .withStorageConf(Path.of("conf.xml"))
            .withPartitioner("ByteOrderedPartitioner")
            .withCommitLogSync("batch")
            .withMembership(options.membership()),
        options);
    assertEquals(Optional.of(Duration.ofMinutes(1)), options.membership().hintInterval());
  }

  private static NodeOptions parsed(String... arguments) {
    ServerCommand command = new ServerCommand();
    new CommandLine(command).parseArgs(arguments);
    return command.options();
  }
}
