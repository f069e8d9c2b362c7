package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.cluster.ring.RingNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadPlanTest {

  private static final RingNode A = node("a");
  private static final RingNode B = node("b");
  private static final RingNode C = node("c");
  private static final ReadPlan OF_THREE =
      ReadPlan.of(
          Consistency.QUORUM,
          new ConsistencyRequirement(List.of(new ConsistencyRequirement.BlockFor(null, 2))),
          List.of(A, B, C));

  private static RingNode node(String id) {
    return new RingNode(id, id, 7000, 9160, "dc", "r", List.of(new byte[] {1}));
  }

  @Test
  void theClosestAreAskedAndTheRestIsSpare() {
    assertEquals(List.of(A, B), OF_THREE.asked());
    assertEquals(List.of(C), OF_THREE.spares());
  }

  @Test
  void withoutANodeTheOthersTakeItsPlace() {
    ReadPlan rest = OF_THREE.without(A);
    assertEquals(List.of(B, C), rest.asked());
    assertEquals(List.of(), rest.spares());
    assertEquals(List.of(B, C), rest.alive());
    assertEquals(2, rest.requirement().required(), "as many answers as before");
  }

  @Test
  void allThatAreUpMustAnswerAPlanOfAll() {
    ReadPlan all = OF_THREE.ofAll();
    assertEquals(List.of(A, B, C), all.asked());
    assertEquals(3, all.requirement().required());
  }
}
