package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.coordinator.SimulatedCluster;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The nodes that a call reports as asked. Rows from "b" to "e" belong to node1 and its followers,
 * and so on; the factor is 2 of 5 nodes.
 */
class AskedReplicasTest {

  private static final int COORDINATOR = 4;

  private final SimulatedCluster cluster;
  private final ColumnFamily family;

  AskedReplicasTest() throws Exception {
    cluster = new SimulatedCluster(5);
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema().createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(2)));
    cluster.await(
        node.schema()
            .createFamily(
                FamilyDefinition.standard("K", "F", "UTF8Type")
                    .with(FamilyField.READ_REPAIR_CHANCE, 0.0)));
    family = node.family("K", "F");
  }

  private static AskedReplicas asked(int... nodes) {
    List<String> ids = Arrays.stream(nodes).mapToObj(SimulatedCluster::id).toList();
    return new AskedReplicas(ids, ids);
  }

  private static AskedReplicas asked(List<Integer> asked, List<Integer> answered) {
    return new AskedReplicas(
        asked.stream().map(SimulatedCluster::id).toList(),
        answered.stream().map(SimulatedCluster::id).toList());
  }

  private AskedReplicas write(int node, Consistency level, String... keys) {
    List<RowMutation> rows =
        Arrays.stream(keys).map(key -> cluster.mutation(family, key, "c", "v")).toList();
    return cluster.await(
        cluster.node(node).coordinator().write(rows, true, level, cluster.deadline()));
  }

  private AskedReplicas read(int node, Consistency level, String key) {
    SliceRead read =
        new SliceRead(
            family,
            cluster.key(key),
            SimulatedCluster.WHOLE,
            Optional.empty(),
            1 << 20,
            level,
            cluster.deadline(),
            PageSink.LISTS);
    return cluster.await(cluster.node(node).coordinator().read(read)).cost().replicas();
  }

  private AskedReplicas count(int node, Consistency level, String key) {
    SliceRead read =
        SliceRead.count(
            family, cluster.key(key), SimulatedCluster.WHOLE, level, cluster.deadline());
    return cluster.await(cluster.node(node).coordinator().read(read)).cost().replicas();
  }

  @Test
  void aCoordinatorWithoutACopyIsNoneOfThem() {
    assertEquals(asked(1, 2), write(COORDINATOR, Consistency.ALL, "c"));
    assertEquals(asked(1, 2), read(COORDINATOR, Consistency.ALL, "c"));
    assertEquals(asked(1, 2), count(COORDINATOR, Consistency.ALL, "c"));
    assertEquals(1, read(COORDINATOR, Consistency.ONE, "c").asked().size());
  }

  @Test
  void anOwnCopyAloneIsTheCoordinator() {
    write(1, Consistency.ALL, "c");

    assertEquals(asked(1), read(1, Consistency.ONE, "c"));
    assertEquals(asked(1), count(1, Consistency.ONE, "c"));
    assertEquals(asked(1, 2), read(1, Consistency.TWO, "c"));
  }

  @Test
  void aBatchNamesTheReplicasOfAllItsRows() {
    assertEquals(asked(1, 2, 3, 4), write(0, Consistency.ALL, "c", "i"));
  }

  @Test
  void aReplicaThatIsDownIsNotAskedAndItsHintIsNoAnswer() {
    cluster.down(1);

    assertEquals(asked(2), write(COORDINATOR, Consistency.ONE, "c"));
    cluster.down(1, 2);
    assertEquals(AskedReplicas.NONE, write(COORDINATOR, Consistency.ANY, "c"));
  }

  @Test
  void aWriteWithoutAWaitingCallerHasBeenSentAndNotAnswered() {
    assertEquals(asked(List.of(1, 2), List.of()), write(COORDINATOR, Consistency.ZERO, "c"));
    assertEquals(1, write(COORDINATOR, Consistency.ONE, "c").answered().size());
  }

  @Test
  void aSilentReplicaAndTheOneAskedInItsPlaceAreBothNamed() {
    write(COORDINATOR, Consistency.ALL, "c");
    cluster.silence(1);

    // Which of the two comes first is by how fast they were, so the silent one may be left out
    // once.
    AskedReplicas asked = read(COORDINATOR, Consistency.ONE, "c");
    if (!asked.asked().contains("node1")) {
      asked = read(COORDINATOR, Consistency.ONE, "c");
    }
    assertEquals(asked(List.of(1, 2), List.of(2)), asked);
  }

  @Test
  void whoIsGivenWhatItLacksIsNamedOnce() {
    cluster.await(cluster.node(1).putHere(family, "c", "c", "newer"));

    assertEquals(asked(1, 2), read(COORDINATOR, Consistency.ALL, "c"));
  }

  @Test
  void anOwnStoreThatRefusedIsNamedBesideTheReplicaThatAnswered() {
    write(1, Consistency.ALL, "c");
    cluster.await(cluster.node(1).dropHere(family));

    assertEquals(asked(List.of(1, 2), List.of(2)), read(1, Consistency.ONE, "c"));
  }

  @Test
  void aScanNamesTheReplicasOfAllItsRanges() {
    write(0, Consistency.ALL, "a", "c", "f", "i", "l");
    RowRange everything = new RowRange(RowKey.firstOf(new byte[0]), Optional.empty());

    AskedReplicas all = AskedReplicas.NONE;
    Optional<RangePosition> from = Optional.empty();
    do {
      RangeRead part =
          new RangeRead(
              family,
              List.of(everything),
              SimulatedCluster.WHOLE,
              100,
              false,
              false,
              from,
              1 << 20,
              Consistency.ALL,
              cluster.deadline(),
              PageSink.LISTS);
      RangePage page = cluster.await(cluster.node(0).coordinator().readRange(part));
      all = all.plus(page.cost().replicas());
      from = page.next();
    } while (from.isPresent());
    assertEquals(asked(0, 1, 2, 3, 4), all);
  }
}
