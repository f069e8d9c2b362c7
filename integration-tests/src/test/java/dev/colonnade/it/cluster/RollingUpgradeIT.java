package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes of an older build, of which this one takes the places one by one, as
 * docs/upgrading.md tells operators to. {@code integration-tests/upgrade} builds the older jar and
 * runs this.
 */
@Timeout(600)
@EnabledIfSystemProperty(
    named = "colonnade.previous.jar",
    matches = ".+",
    disabledReason =
        "-Dcolonnade.previous.jar names no older build; integration-tests/upgrade does")
final class RollingUpgradeIT {

  private static final int NODES = 3;
  private static final int ROWS = 200;

  private final Rows rows = new Rows("Everywhere");

  @TempDir Path folder;

  @Test
  void nodesAreUpgradedOneByOneAndNoCallAtQuorumFails() throws IOException {
    Path older = Path.of(System.getProperty("colonnade.previous.jar", ""));
    Map<String, String> written = new LinkedHashMap<>();
    for (int i = 0; i < ROWS; i++) {
      written.put("before" + i, "written by the older build " + i);
    }
    try (TestCluster cluster = TestCluster.startOf(older, folder, NODES)) {
      cluster.create(rows.definition(NODES));
      rows.writeAll(cluster.node(0), written, CONSISTENCY_LEVEL_ALL);
      cluster.node(0).flushAll();
      try (QuorumLoad load = QuorumLoad.start(rows, cluster, NODES, 2 * NODES)) {
        load.goOn();
        for (int i = 0; i < NODES; i++) {
          cluster.view(i).drain();
          load.goOn();
          cluster.stop(i);
          // While it is away the others keep hints, of their build for this one.
          load.goOn();
          cluster.upgrade(i);
          cluster.awaitUp(NODES);
          load.goOn();
          for (int other = 0; other < NODES; other++) {
            String key = "after" + i + "-" + other;
            rows.write(cluster.node(other), key, "v" + i, CONSISTENCY_LEVEL_ALL);
            written.put(key, "v" + i);
          }
        }
        load.goOn();
        assertEquals("", load.lostAt(cluster.node(0)));
        assertEquals("", load.failures());
        assertTrue(load.switches() >= NODES, "clients of a node that stops go to another one");
      }
      for (int i = 0; i < NODES; i++) {
        for (Map.Entry<String, String> row : written.entrySet()) {
          assertEquals(
              Optional.of(row.getValue()),
              rows.read(cluster.node(i), row.getKey(), CONSISTENCY_LEVEL_QUORUM));
        }
      }
      // The replicas agree, too: what was missed came as hints.
      RepairCall repair = RepairCall.start(cluster.node(0), rows.keyspace());
      repair.end();
      for (Map.Entry<String, String> row : written.entrySet()) {
        assertEquals(
            Optional.of(row.getValue()),
            rows.read(cluster.node(0), row.getKey(), CONSISTENCY_LEVEL_ALL));
      }
    }
  }
}
