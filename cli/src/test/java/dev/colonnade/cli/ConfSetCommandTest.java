package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.NodeSetting;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
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

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Colonnade.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private int conf(Node node, String... args) {
    List<String> all = new ArrayList<>(List.of("conf"));
    all.addAll(List.of(args));
    all.addAll(List.of("--port", Integer.toString(node.clientPort())));
    return run(all.toArray(String[]::new));
  }

  private NodeOptions options(String name) {
    return NodeOptions.defaults().withDataDirectory(directory.resolve(name)).withFreePorts();
  }

  /** The line of the setting in the last answer, with single blanks. */
  private String line(String name) {
    return out.toString()
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
      assertEquals(0, conf(node, "set", RATE, "1048576", "--keep"), err::toString);
      assertTrue(line(RATE).contains("1048576 bytes changed, kept"), out::toString);
    }
    assertEquals(0, run("conf", "show", "--data", directory.resolve("one").toString()));
    assertTrue(line(RATE).endsWith("1048576 bytes changed at run time and kept"), out::toString);

    try (Node node = Node.start(options("one"))) {
      assertEquals(0, conf(node, "list", "--changed"), err::toString);
      assertTrue(line(RATE).contains("1048576 bytes changed, kept"), out::toString);
      assertEquals(0, conf(node, "list", "-o", "json", "--live"), err::toString);
      assertTrue(
          out.toString()
              .contains("\"name\":\"" + RATE + "\",\"value\":\"1048576\",\"origin\":\"runtime\""),
          out::toString);
      assertEquals(0, conf(node, "reset", RATE), err::toString);
      assertTrue(line(RATE).contains("33554432 bytes default"), out::toString);
    }
    try (Node node = Node.start(options("one"))) {
      assertEquals(0, conf(node, "list"), err::toString);
      assertTrue(line(RATE).contains("33554432 bytes default"), out::toString);

      assertEquals(1, conf(node, "set", RATE, "fast"));
      assertTrue(err.toString().contains(RATE + " is a whole number of bytes"), err::toString);
      assertEquals(1, conf(node, "set", "memtable_total_bytes", Long.toString(1L << 40)));
      assertTrue(err.toString().contains("at most half of the heap"), err::toString);
      assertEquals(1, conf(node, "set", "cluster_name", "Other"));
      assertTrue(err.toString().contains("is read when the node starts"), err::toString);
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
        assertEquals(0, conf(first, "set", RATE, "1000", "--all-nodes"), err::toString);
        assertEquals(2, out.toString().lines().filter(l -> l.contains("1000 bytes")).count());
        assertEquals(0, conf(second, "list"), err::toString);
        assertTrue(line(RATE).contains("1000 bytes"), out::toString);
      }
      assertEquals(1, conf(first, "reset", RATE, "--all-nodes"));
      assertTrue(line(RATE).contains("default"), out::toString);
      assertTrue(err.toString().contains("not changed on 127.0.0.1:" + secondPort), err::toString);
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
