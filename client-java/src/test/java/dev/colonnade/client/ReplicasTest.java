package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.v1.BatchMutateRequest;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on a row go to a node that holds it, as far as the client can know. */
@Timeout(30)
final class ReplicasTest {

  /** Far more than pass while a look at the ring is under way. */
  private static final int MOST_ROUNDS = 2_000;

  private static final ClientOptions FOUND =
      ClientOptions.defaults().withSessions(false).withoutSpeculation();

  @Test
  void callsOnARowGoToANodeThatHoldsIt() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.ownThirds(1);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      awaitRouting(family, nodes);
      for (int i = 0; i < 100; i++) {
        String key = "key" + i;
        family.insert(key, "c", "v");
        family.async().get(key, "c").join();
        assertEquals(FakeNodes.owner(key), goesTo(family, nodes, key), key);
      }
      for (int index = 0; index < 3; index++) {
        for (BatchMutateRequest write : nodes.node(index).batches) {
          assertEquals(index, FakeNodes.owner(write.getRows(0).getKey().toStringUtf8()));
        }
      }
      // The second one if the ring became known between the first call and its look.
      assertTrue(nodes.looks.size() <= 2, nodes.looks::toString);
    }
  }

  @Test
  void aRowWhoseOwnerDiesIsReadThroughAnother() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.ownThirds(1);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      awaitRouting(family, nodes);
      nodes.node(FakeNodes.owner("k")).kill();
      for (int i = 0; i < 20; i++) {
        assertTrue(family.get("k", "c").isEmpty());
      }
    }
  }

  @Test
  void whereEveryNodeHoldsEverythingAnyNodeDoes() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.ownThirds(3);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      FakeNodes.callUntil(family, () -> !nodes.looks.isEmpty());
      FakeNodes.callUntil(
          family, () -> nodes.nodes.stream().allMatch(node -> node.slices.size() > 20));
    }
  }

  @Test
  void rowsInTheOrderOfTheirBytesGoToTheirOwner() {
    // Bytes are unsigned, and the greatest token is not the greatest key.
    assertOwners(
        "ByteOrderedPartitioner",
        new String[] {"6d", "c3a9", "e0"},
        Map.of("a", 0, "m", 0, "ma", 1, "z", 1, "é", 1, "ê", 2, "한", 0, "𐐷", 0));
  }

  @Test
  void rowsInTheOrderOfTextGoToTheirOwner() {
    // U+10437 is two surrogates in UTF-16, before U+FF21 and not after it as in UTF-8.
    assertOwners(
        "OrderPreservingPartitioner",
        new String[] {"m", "Ａ", "z"},
        Map.of("a", 0, "m", 0, "ma", 2, "z", 2, "é", 1, "𐐷", 1, "Ａ", 1, "Ｂ", 0));
  }

  private static void assertOwners(
      String partitioner, String[] tokens, Map<String, Integer> owners) {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.partitioner = partitioner;
      nodes.own(1, tokens);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      awaitRouting(family, nodes, new TreeMap<>(owners));
    }
  }

  @Test
  void underPartitionersThatTheClientDoesNotKnowRowsHaveNoOwner() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.partitioner = "CollatingOrderPreservingPartitioner";
      nodes.ownThirds(1);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      FakeNodes.callUntil(
          family, () -> nodes.nodes.stream().allMatch(node -> node.slices.size() > 20));
      assertTrue(nodes.looks.isEmpty());
    }
  }

  @Test
  void aChangeOfTheRingIsLookedAtOnce() {
    try (FakeNodes nodes = new FakeNodes(4);
        Colonnade client = nodes.client(FOUND, nodes.node(0))) {
      nodes.ownThirds(1);
      nodes.show(NodeState.NODE_STATE_NORMAL, 0, 1, 2);
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      awaitRouting(family, nodes);
      int looks = nodes.looks.size();
      nodes.show(NodeState.NODE_STATE_NORMAL, 3);
      Await.until(() -> client.pool().nodes().size() == 4);
      FakeNodes.callUntil(family, () -> nodes.looks.size() > looks);
    }
  }

  /**
   * Makes calls until the client knows who owns what: ten rows in a row do not find it by chance.
   * After so many calls it does not come to know.
   */
  private static void awaitRouting(ColumnFamily<String, String, String> family, FakeNodes nodes) {
    Map<String, Integer> owners = new TreeMap<>();
    IntStream.range(0, 10).forEach(i -> owners.put("row" + i, FakeNodes.owner("row" + i)));
    awaitRouting(family, nodes, owners);
    nodes.nodes.forEach(node -> node.batches.clear());
  }

  private static void awaitRouting(
      ColumnFamily<String, String, String> family, FakeNodes nodes, Map<String, Integer> owners) {
    FakeNodes.callUntil(family, () -> !nodes.looks.isEmpty());
    Map<String, Integer> went = Map.of();
    for (int i = 0; i < MOST_ROUNDS && !went.equals(owners); i++) {
      went = new TreeMap<>();
      for (String key : owners.keySet()) {
        went.put(key, goesTo(family, nodes, key));
      }
    }
    assertEquals(owners, went);
  }

  /** The node that gets a read of a row. */
  private static int goesTo(
      ColumnFamily<String, String, String> family, FakeNodes nodes, String key) {
    nodes.nodes.forEach(node -> node.slices.clear());
    family.get(key, "c");
    for (int i = 0; i < nodes.nodes.size(); i++) {
      if (!nodes.node(i).slices.isEmpty()) {
        return i;
      }
    }
    throw new AssertionError("no node got the read");
  }
}
