package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.ring.Topology.Place;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import dev.colonnade.server.sim.SimClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaSorterTest {

  private static final long MILLIS = 1_000_000;
  private static final RingNode SELF = node("self", "dc", "r1");
  private static final RingNode SAME_RACK = node("a", "dc", "r1");
  private static final RingNode OTHER_RACK = node("b", "dc", "r2");
  private static final RingNode THIRD_RACK = node("c", "dc", "r3");
  private static final RingNode FAR = node("d", "away", "r1");

  private final SimClock clock = new SimClock();
  private final ReplicaSorter sorter = new ReplicaSorter(clock, "self", 20 * MILLIS);

  private static RingNode node(String id, String datacenter, String rack) {
    return new RingNode(
        id, id, 7000, 9160, datacenter, rack, List.of(id.getBytes(StandardCharsets.UTF_8)));
  }

  private String order() {
    return order(Topology.alone(SELF));
  }

  private String order(Topology topology) {
    StringBuilder ids = new StringBuilder();
    for (RingNode node :
        sorter.order(List.of(FAR, THIRD_RACK, OTHER_RACK, SAME_RACK, SELF), topology)) {
      ids.append(node.id()).append(' ');
    }
    return ids.toString().trim();
  }

  @Test
  void whoStandsCloserComesFirstAndAmongEqualsTheOrderOfTheRing() {
    assertEquals("self a c b d", order());
  }

  @Test
  void amongEqualsTheQuickerComesFirst() {
    sorter.answered(THIRD_RACK, 5 * MILLIS);
    sorter.answered(OTHER_RACK, MILLIS);
    assertEquals("self a b c d", order());
  }

  @Test
  void nodesThatSayThatTheyAreBetterNotAskedComeLastThisNodeIncluded() {
    Topology topology =
        Topology.of(
            SELF,
            List.of(
                new Place(SELF, RingState.NORMAL, List.of(), true, Impact.UNFAVOURABLE),
                new Place(OTHER_RACK, RingState.NORMAL, List.of(), true, Impact.NOTICE),
                new Place(SAME_RACK, RingState.NORMAL, List.of(), true, Impact.NO_WRITES)));
    assertEquals("c b d self a", order(topology));
  }

  @Test
  void aLateNodeComesLastUntilThatIsLongAgo() {
    sorter.late(SAME_RACK, 200 * MILLIS);
    assertEquals("self c b d a", order());

    clock.advance(Duration.ofSeconds(10));
    assertEquals("self a c b d", order());
  }

  @Test
  void oneQuestionTriesALateNodeAndOthersGoRoundItMeanwhile() {
    sorter.asked(SAME_RACK);
    sorter.late(SAME_RACK, 200 * MILLIS);
    sorter.over(SAME_RACK);
    clock.advance(Duration.ofSeconds(10));
    assertEquals("self a c b d", order());

    sorter.asked(SAME_RACK);
    assertEquals("self c b d a", order(), "others are not to wait for it as well");

    sorter.answered(SAME_RACK, MILLIS);
    sorter.over(SAME_RACK);
    sorter.asked(SAME_RACK);
    assertEquals("self a c b d", order(), "it is back, and may have many questions");
  }

  @Test
  void theHedgeDelayFollowsUsualLatenciesWithinBounds() {
    assertEquals(20 * MILLIS, sorter.hedgeDelayNanos(List.of(FAR)));
    for (int i = 0; i < 128; i++) {
      sorter.answered(FAR, 50 * MILLIS);
    }
    assertEquals(50 * MILLIS, sorter.hedgeDelayNanos(List.of(SAME_RACK, FAR)));
    for (int i = 0; i < 128; i++) {
      sorter.answered(FAR, 10_000 * MILLIS);
    }
    assertEquals(200 * MILLIS, sorter.hedgeDelayNanos(List.of(FAR)));
  }
}
