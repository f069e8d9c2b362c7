package dev.colonnade.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.it.Await;
import dev.colonnade.it.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that runs a cluster on one machine. */
final class ClusterCommandIT {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  @Test
  void itTellsWhenTheClusterIsWholeAndWhenANodeEndsAndStopsAllOfThem() throws Exception {
    List<String> command = ChildJvm.colonnade(List.of("-Xmx128m"));
    command.addAll(
        List.of("cluster", "-n", "3", "--any-ports", "--data", folder.resolve("c").toString()));
    Path log = folder.resolve("cluster.out");
    Process cluster = ChildJvm.start(command, log, "Ctrl-C stops all nodes.", LIMIT);
    try {
      String told = Files.readString(log);
      assertTrue(told.contains("The cluster is complete"), told);
      List<Integer> ports =
          told.lines()
              .filter(line -> line.contains("NORMAL"))
              .map(line -> line.strip().split(" ", 2)[0])
              .map(address -> Integer.valueOf(address.substring(address.indexOf(':') + 1)))
              .toList();
      assertEquals(3, ports.size(), told);
      String first = "--port " + ports.get(0) + System.lineSeparator();
      assertTrue(told.contains(first), () -> "the first node stands first in " + told);
      List<ProcessHandle> nodes = cluster.descendants().toList();
      assertEquals(3, nodes.size(), "one process for each node");
      nodes.get(0).destroyForcibly();
      Await.until(() -> read(log).contains("has ended with status 137"), LIMIT, () -> read(log));
      cluster.destroy();
      assertTrue(ChildJvm.exited(cluster, LIMIT), () -> read(log));
      assertEquals(0, cluster.exitValue(), () -> read(log));
      assertTrue(nodes.stream().noneMatch(ProcessHandle::isAlive), "no node is left behind");
    } finally {
      cluster.descendants().forEach(ProcessHandle::destroyForcibly);
      cluster.destroyForcibly();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
