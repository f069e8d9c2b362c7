package dev.colonnade.cli.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.CommitLogOptions;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RetiredSetting;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
            "60",
            "--seeds",
            "a,b:7001",
            "--seeds",
            "c",
            "--no-bootstrap",
            "--replace",
            "0123");

    assertEquals(
        NodeOptions.defaults()
            .withDataDirectory(Path.of("/var/colonnade"))
            .with(AddressSettings.PEER_ADDRESS, "::1")
            .with(AddressSettings.CLIENT_PORT, 0)
            .with(AddressSettings.PEER_PORT, 7001)
            .with(AddressSettings.HTTP_PORT, 65_535)
            .withStorageConf(Path.of("conf.xml"))
            .with(ClusterSettings.PARTITIONER, "ByteOrderedPartitioner")
            .with(CommitLogOptions.SYNC, CommitLogOptions.Sync.BATCH)
            .with(ReplicationSettings.HINT_INTERVAL, Duration.ofMinutes(1))
            .with(ClusterSettings.SEEDS, List.of("a", "b:7001", "c"))
            .with(ClusterSettings.AUTO_BOOTSTRAP, false)
            .replacing("0123"),
        options);
    assertEquals(
        Optional.of(true), parsed("--bootstrap").given().find(ClusterSettings.AUTO_BOOTSTRAP));
  }

  @Test
  void anOptionThatIsGoneHasNoEffectAndIsNoError() {
    for (RetiredSetting retired : RetiredSetting.ALL) {
      assertEquals(parsed(), parsed(retired.option(), "required"));
    }
  }

  private static NodeOptions parsed(String... arguments) {
    ServerCommand command = new ServerCommand();
    new CommandLine(command).parseArgs(arguments);
    return command.options();
  }
}
