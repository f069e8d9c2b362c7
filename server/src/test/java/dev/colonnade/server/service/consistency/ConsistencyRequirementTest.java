package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.cluster.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConsistencyRequirementTest {

  private static final RingNode EAST_1 = node("e1", "east");
  private static final RingNode EAST_2 = node("e2", "east");
  private static final RingNode EAST_3 = node("e3", "east");
  private static final RingNode WEST_1 = node("w1", "west");
  private static final RingNode WEST_2 = node("w2", "west");

  private static RingNode node(String id, String datacenter) {
    return new RingNode(id, id, 7000, 9160, datacenter, "r", List.of(new byte[] {1}));
  }

  private static Keyspace simple(int factor) {
    return new Keyspace(
        "K", PlacementStrategy.SIMPLE, factor, new TreeMap<>(), true, new TreeMap<>());
  }

  private static Keyspace datacenters(int east, int west) {
    return new Keyspace(
        "K",
        PlacementStrategy.NETWORK_TOPOLOGY,
        east + west,
        new TreeMap<>(Map.of("east", east, "west", west)),
        true,
        new TreeMap<>());
  }

  @Test
  void aQuorumIsMoreThanHalf() {
    List<Integer> required = new ArrayList<>();
    for (int factor = 1; factor <= 5; factor++) {
      required.add(
          ConsistencyRequirement.of(Consistency.QUORUM, simple(factor), "east").required());
    }
    assertEquals(List.of(1, 2, 2, 3, 3), required);
  }

  @Test
  void whatIsAboutToOwnTheRowIsWantedOnTop() {
    ConsistencyRequirement quorum =
        ConsistencyRequirement.of(Consistency.QUORUM, simple(3), "east")
            .plus(List.of(WEST_1, WEST_2));
    assertEquals(4, quorum.required());
    // Only those of the own data centre concern its quorum.
    ConsistencyRequirement local =
        ConsistencyRequirement.of(Consistency.LOCAL_QUORUM, datacenters(3, 2), "east")
            .plus(List.of(EAST_3, WEST_2));
    assertEquals(3, local.required());
  }

  @Test
  void aFullDataCentreDoesNotStandInForAnother() {
    ConsistencyRequirement each =
        ConsistencyRequirement.of(Consistency.EACH_QUORUM, datacenters(3, 2), "east");
    assertEquals(4, each.required());
    assertFalse(each.isMet(List.of(EAST_1, EAST_2, EAST_3, WEST_1)));
    assertEquals(3, each.counted(List.of(EAST_1, EAST_2, EAST_3, WEST_1)));
    assertTrue(each.isMet(List.of(EAST_1, EAST_2, WEST_1, WEST_2)));
  }

  @Test
  void aDataCentreWithoutReplicasIsNoneOfEach() {
    ConsistencyRequirement each =
        ConsistencyRequirement.of(Consistency.EACH_QUORUM, datacenters(3, 0), "west");
    assertEquals(2, each.required());
    assertTrue(each.isMet(List.of(EAST_1, EAST_2)));
    // A local quorum of no replicas is never reached.
    assertFalse(
        ConsistencyRequirement.of(Consistency.LOCAL_QUORUM, datacenters(3, 0), "west")
            .isMet(List.of(EAST_1, EAST_2, EAST_3)));
  }

  @Test
  void theFirstOfEachDataCentreAreChosen() {
    List<RingNode> nodes = List.of(EAST_1, WEST_1, EAST_2, EAST_3, WEST_2);
    assertEquals(
        List.of(EAST_1, WEST_1, EAST_2, WEST_2),
        ConsistencyRequirement.of(Consistency.EACH_QUORUM, datacenters(3, 2), "east")
            .firstOf(nodes));
    assertEquals(
        List.of(WEST_1, WEST_2),
        ConsistencyRequirement.of(Consistency.LOCAL_QUORUM, datacenters(3, 2), "west")
            .firstOf(nodes));
    assertEquals(
        List.of(EAST_1, WEST_1),
        ConsistencyRequirement.of(Consistency.TWO, datacenters(3, 2), "west").firstOf(nodes));
  }

  @Test
  void answersAreCountedWhereTheyAreWanted() {
    AckTracker count =
        new AckTracker(
            ConsistencyRequirement.of(Consistency.EACH_QUORUM, datacenters(3, 2), "east"));
    List.of(EAST_1, EAST_2, EAST_3, WEST_1, WEST_2).forEach(count::expect);
    List.of(EAST_1, EAST_2, EAST_3, WEST_1).forEach(count::answered);
    assertFalse(count.isMet());
    assertEquals(3, count.received());
    assertFalse(count.isHopeless());
    count.failed(WEST_2);
    assertTrue(count.isHopeless());
  }
}
