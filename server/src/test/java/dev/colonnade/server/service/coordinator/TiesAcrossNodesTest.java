package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two writes with one timestamp that all replicas have, of which one or both expire: whatever each
 * replica flushed and merged before and after the expiry, all give one answer, and reads that
 * compare them change nothing.
 */
class TiesAcrossNodesTest {

  private static final int NODES = 3;
  private static final long TIED = 1_000;

  private final SimulatedCluster cluster;
  private final ColumnFamily family;

  TiesAcrossNodesTest() throws Exception {
    cluster = new SimulatedCluster(NODES);
    family = makeFamily();
  }

  private ColumnFamily makeFamily() throws Exception {
    cluster.await(
        cluster
            .node(0)
            .schema()
            .createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(NODES)));
    cluster.await(
        cluster
            .node(0)
            .schema()
            .createFamily(
                FamilyDefinition.standard("K", "F", "UTF8Type")
                    .with(FamilyField.MIN_COMPACTION_THRESHOLD, 0)
                    .with(FamilyField.MAX_COMPACTION_THRESHOLD, 0)
                    .with(FamilyField.READ_REPAIR_CHANCE, 1.0)));
    return cluster.node(0).family("K", "F");
  }

  @Test
  void oneAnswerWhereOneOfTheTwoExpires() {
    write(staying("b"));
    flush(1);
    write(expiring("a", 10));
    flush(1);
    assertEquals(List.of("c=a", "c=a", "c=a"), answers());

    pass(11);
    assertEquals(List.of("", "", ""), answers());
    merge(1);
    assertEquals(List.of("", "", ""), answers());
    readRepairChangesNothing("");
  }

  @Test
  void oneAnswerWhereBothExpireAndAMergeCameInBetween() {
    write(expiring("b", 10));
    flush(1);
    pass(11);
    merge(1);
    write(expiring("a", 1_000));
    assertEquals(List.of("c=a", "c=a", "c=a"), answers());
    merge(0);
    merge(1);
    assertEquals(List.of("c=a", "c=a", "c=a"), answers());
    readRepairChangesNothing("c=a");
  }

  private void readRepairChangesNothing(String expected) {
    for (int node = 0; node < NODES; node++) {
      for (Consistency level : List.of(Consistency.ALL, Consistency.QUORUM, Consistency.ONE)) {
        assertEquals(expected, cluster.await(cluster.node(node).get(family, "k", level)));
      }
    }
    cluster.scheduler().advance(Duration.ofSeconds(1));
    for (int node = 0; node < NODES; node++) {
      assertEquals(expected, cluster.await(cluster.node(node).stored(family, "k")));
    }
  }

  /** What each node's own store says. */
  private List<String> answers() {
    List<String> answers = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      answers.add(cluster.await(cluster.node(node).stored(family, "k")));
    }
    return answers;
  }

  private void write(Cell cell) {
    RowUpdate update = RowUpdate.builder(family.order()).add(cell).build();
    RowMutation mutation =
        new RowMutation(cluster.key("k"), List.of(new RowMutation.FamilyUpdate(family, update)));
    cluster.await(
        cluster
            .node(0)
            .coordinator()
            .write(List.of(mutation), true, Consistency.ALL, cluster.deadline()));
  }

  private static Cell staying(String value) {
    return Cell.live(bytes("c"), null, bytes(value), TIED);
  }

  private Cell expiring(String value, int seconds) {
    return Cell.expiring(
        bytes("c"), null, bytes(value), TIED, seconds, cluster.clock().wallSeconds() + seconds);
  }

  private void flush(int node) {
    cluster.await(cluster.node(node).engine().flush(family.id()));
  }

  private void merge(int node) {
    cluster.await(cluster.node(node).engine().compact(family.id(), progress -> {}));
  }

  private void pass(int seconds) {
    cluster.scheduler().advance(Duration.ofSeconds(seconds));
  }

  private static byte[] bytes(String text) {
    return SimulatedCluster.bytes(text);
  }
}
