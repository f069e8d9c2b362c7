package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.NodeSetting;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does to change settings of nodes that run. */
final class ConfSetCommandTest {

  private static final String RATE = "compaction_bytes_per_second";

  @TempDir private Path directory;

  private final Invocation colonnade = new Invocation();

  private int conf(Node node, String... args) {
    List<String> all = new ArrayList<>(List.of("conf"));
    all.addAll(List.of(args));
    all.addAll(List.of("--port", Integer.toString(node.clientPort())));
    return colonnade.run(all.toArray(String[]::new));
  }

  private NodeOptions options(String name) {
    return NodeOptions.defaults().withDataDirectory(directory.resolve(name)).withFreePorts();
  }

  /** The line of the setting in the last answer, with single blanks. */
  private String line(String name) {
    return colonnade
        .out()
        .lines()
        .filter(line -> line.contains(name))
        .findFirst()
        .orElse("")
        .replaceAll(" +", " ")
        .strip();
  }

  @Test
  void aRateIsChangedKeptOverARestartAndReset() throws Exception {
    try (Node node = Node.start(options("one"))) {
      assertEquals(0, conf(node, "set", RATE, "1048576", "--keep"), colonnade::err);
      assertTrue(line(RATE).contains("1048576 bytes changed, kept"), colonnade::out);
    }
    assertEquals(0, colonnade.run("conf", "show", "--data", directory.resolve("one").toString()));
    assertTrue(line(RATE).endsWith("1048576 bytes changed at run time and kept"), colonnade::out);

    try (Node node = Node.start(options("one"))) {
      assertEquals(0, conf(node, "list", "--changed"), colonnade::err);
      assertTrue(line(RATE).contains("1048576 bytes changed, kept"), colonnade::out);
      assertEquals(0, conf(node, "list", "-o", "json", "--live"), colonnade::err);
      assertTrue(
          colonnade
              .out()
              .contains("\"name\":\"" + RATE + "\",\"value\":\"1048576\",\"origin\":\"runtime\""),
          colonnade::out);
      assertEquals(0, conf(node, "reset", RATE), colonnade::err);
      assertTrue(line(RATE).contains("33554432 bytes default"), colonnade::out);
    }
    try (Node node = Node.start(options("one"))) {
      assertEquals(0, conf(node, "list"), colonnade::err);
      assertTrue(line(RATE).contains("33554432 bytes default"), colonnade::out);

      assertEquals(1, conf(node, "set", RATE, "fast"));
      assertTrue(colonnade.err().contains(RATE + " is a whole number of bytes"), colonnade::err);
      assertEquals(1, conf(node, "set", "memtable_total_bytes", Long.toString(1L << 40)));
      assertTrue(colonnade.err().contains("at most half of the heap"), colonnade::err);
      assertEquals(1, conf(node, "set", "cluster_name", "Other"));
      assertTrue(colonnade.err().contains("is read when the node starts"), colonnade::err);
    }
  }

  /** Whatever says that it is live has a part of the node that follows it. */
  @Test
  void eachLiveSettingCanBeChanged() throws Exception {
    try (Node node = Node.start(options("one"));
        dev.colonnade.client.Colonnade client =
            dev.colonnade.client.Colonnade.connect("127.0.0.1:" + node.clientPort())) {
      List<NodeSetting> live =
          client.node().settings().stream().filter(NodeSetting::isLive).toList();
      assertTrue(live.size() > 16, live::toString);
      for (NodeSetting setting : live) {
        String other =
            switch (setting.value()) {
              case "true" -> "false";
              case "false" -> "true";
              // That of phi_threshold, which is at least 5.
              case "5" -> "7.5";
              default -> Long.toString(Long.parseLong(setting.value()) / 2 + 1);
            };
        assertEquals(other, client.node().changeSetting(setting.name(), other, false).value());
        assertEquals(setting.value(), client.node().resetSetting(setting.name()).value());
      }
      assertFalse(Files.exists(directory.resolve("one/data/kept-settings")));
    }
  }

  @Test
  void aChangeOfTheClusterNamesTheNodesThatItDidNotReach() throws Exception {
    NodeOptions quick = options("one").with(ClusterSettings.RING_DELAY, Duration.ofSeconds(1));
    try (Node first = Node.start(quick)) {
      int secondPort;
      try (Node second =
          Node.start(
              options("two")
                  .with(ClusterSettings.RING_DELAY, Duration.ofSeconds(1))
                  .with(ClusterSettings.SEEDS, List.of(first.self().address().toString()))
                  .with(ClusterSettings.AUTO_BOOTSTRAP, false))) {
        secondPort = second.clientPort();
        awaitNodes(first, 2);
        assertEquals(0, conf(first, "set", RATE, "1000", "--all-nodes"), colonnade::err);
        assertEquals(2, colonnade.out().lines().filter(l -> l.contains("1000 bytes")).count());
        assertEquals(0, conf(second, "list"), colonnade::err);
        assertTrue(line(RATE).contains("1000 bytes"), colonnade::out);
      }
      assertEquals(1, conf(first, "reset", RATE, "--all-nodes"));
      assertTrue(line(RATE).contains("default"), colonnade::out);
      assertTrue(
          colonnade.err().contains("not changed on 127.0.0.1:" + secondPort), colonnade::err);
    }
  }

  private static void awaitNodes(Node node, int count) {
    try (dev.colonnade.client.Colonnade client =
        dev.colonnade.client.Colonnade.connect("127.0.0.1:" + node.clientPort())) {
      long untilNanos = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (client.cluster().ring("").nodes().stream()
              .filter(each -> each.endpoint().clientPort() > 0)
              .count()
          < count) {
        assertTrue(System.nanoTime() < untilNanos, "the second node is not seen");
      }
    }
  }
}
