package dev.colonnade.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.SnapshotAnswers;
import dev.colonnade.client.SnapshotScope;
import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.LocalNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes are lost with all their disks, and five others get what a snapshot had that was taken
 * while clients wrote. All of them are processes.
 */
@EnabledIfSystemProperty(named = "colonnade.cluster.long", matches = "true")
final class SnapshotRestoreIT {

  private static final int BEFORE = 3;
  private static final int AFTER = 5;
  private static final long SEED = 20_261_127L;
  private static final Duration RESTORE_LIMIT = Duration.ofMinutes(2);

  @Test
  void whatWasAcknowledgedBeforeASnapshotUnderLoadIsOnOtherNodesAfterTheLossOfAll(
      @TempDir Path folder) throws Exception {
    RecordedLoad load = new RecordedLoad(SEED);
    List<Path> copies = new ArrayList<>();
    long asked;
    long taken;
    try (TestCluster old = TestCluster.start(folder.resolve("old"), BEFORE, -1);
        Colonnade client = client(old)) {
      client
          .schema()
          .createIfAbsent(
              KeyspaceDefinition.named(RecordedLoad.KEYSPACE).withReplicationFactor(BEFORE));
      client
          .schema()
          .createIfAbsent(
              RecordedLoad.KEYSPACE,
              ColumnFamilyDefinition.standard(RecordedLoad.FAMILY, "UTF8Type"));
      AutoCloseable writing = load.start(client);
      try {
        load.awaitChanges(2_000);
        asked = System.nanoTime();
        SnapshotAnswers snapshots =
            client.node().takeSnapshot("last", SnapshotScope.CLUSTER, progress -> {});
        taken = System.nanoTime();
        assertEquals(List.of(), snapshots.failed());
        load.awaitChanges(load.changes() + 1_000);
        for (int i = 0; i < BEFORE; i++) {
          old.kill(i);
        }
        for (int i = 0; i < BEFORE; i++) {
          copies.add(saved(snapshots, old.data(i), folder.resolve("copy" + i)));
          WipedDisk.empty(old.data(i));
        }
      } finally {
        writing.close();
      }
    }
    try (TestCluster fresh = TestCluster.start(folder.resolve("new"), AFTER, -1);
        Colonnade client = client(fresh)) {
      String printed = restore(fresh.node(0), copies);
      RecordedLoad.Comparison found = load.compare(client, asked, taken);
      System.out.println(
          "seed " + SEED + ": " + load.changes() + " changes; " + found + "; " + printed);
      assertEquals(List.of(), found.wrong());
      assertTrue(found.certain() > 500, found.toString());
      assertTrue(found.excluded() > 100, found.toString());
    }
  }

  /** A client whose calls count when two of three replicas have them. */
  private static Colonnade client(TestCluster cluster) {
    return Colonnade.connect(
        List.of(address(cluster.node(0)), address(cluster.node(1)), address(cluster.node(2))),
        ClientOptions.defaults()
            .withCalls(
                CallOptions.defaults()
                    .withReadConsistency(Consistency.QUORUM)
                    .withWriteConsistency(Consistency.QUORUM)));
  }

  private static String address(LocalNode node) {
    return node.address() + ":" + node.ports().client();
  }

  /** Copies the snapshot of the node with that data to where the loss does not reach. */
  private static Path saved(SnapshotAnswers snapshots, Path data, Path copy) throws IOException {
    for (var snapshot : snapshots.snapshots()) {
      Path directory = Path.of(snapshot.directory());
      // Those of the nodes before are moved away already.
      if (Files.exists(directory) && directory.toRealPath().startsWith(data.toRealPath())) {
        Files.move(directory, copy);
        return copy;
      }
    }
    throw new AssertionError("no snapshot of the node in " + data + ": " + snapshots);
  }

  private static String restore(LocalNode into, List<Path> copies) throws IOException {
    List<String> command = ChildJvm.colonnade(List.of());
    command.addAll(
        List.of(
            "snapshot",
            "restore",
            "--create-schema",
            "--host",
            into.address(),
            "--port",
            Integer.toString(into.ports().client())));
    copies.forEach(copy -> command.add(copy.toString()));
    Path log = copies.get(0).resolveSibling("restore.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean exited = ChildJvm.exited(process, RESTORE_LIMIT);
    process.destroyForcibly();
    String words = Files.readString(log, StandardCharsets.UTF_8);
    assertTrue(exited, "the restore did not end within " + RESTORE_LIMIT + ": " + words);
    assertEquals(0, process.exitValue(), words);
    List<String> lines = words.lines().toList();
    return lines.get(lines.size() - 1);
  }
}
