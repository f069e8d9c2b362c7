package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import io.grpc.StatusRuntimeException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node remembers to repair for a client that loads, and what it refuses. */
final class ScheduleRepairTest {

  @Test
  void repairsAreRememberedOfRangesThatTheOtherNodeHasToo() throws Exception {
    try (LoadService service = new LoadService()) {
      assertRefused("NOT_A_REPLICA", service, service.repair("Plain", "n2"));
      RingNode self = service.node.self();
      RingNode other =
          new RingNode("n2", "127.0.0.2", 7000, 9160, "dc1", "r1", List.of(new byte[] {9}));
      service.node.become(
          Topology.of(
              self,
              List.of(
                  new Topology.Place(self, Topology.RingState.NORMAL, List.of(), true),
                  new Topology.Place(other, Topology.RingState.NORMAL, List.of(), false))));
      assertRefused("NOT_A_REPLICA", service, service.repair("Plain", "n2"));
      service.store.await(
          service
              .store
              .schema()
              .updateKeyspace(
                  KeyspaceDefinition.of("K").withReplicationFactor(2),
                  List.of("replication_factor")));
      assertTrue(service.schedules(service.repair("Plain", "n2")));
      assertTrue(service.schedules(service.repair("Plain", "n2")), "again");
      assertEquals(1, service.loads.figures().pendingRepairs());
      assertTrue(service.schedules(service.repair("Nested", "n2")));
      assertEquals(2, service.loads.figures().pendingRepairs());

      assertRefused("INVALID_REQUEST", service, service.repair("Plain", "n1"));
      assertRefused("INVALID_REQUEST", service, service.repair("Plain", "n2").clearRanges());
      assertRefused(
          "FAMILY_CHANGED", service, service.repair("Plain", "n2").setFamilyId("0".repeat(32)));
      assertRefused(
          "COLUMN_FAMILY_NOT_FOUND",
          service,
          service.repair("Plain", "n2").setColumnFamily("None"));
      assertEquals(2, service.loads.figures().pendingRepairs());
    }
  }

  private static void assertRefused(
      String reason, LoadService service, ScheduleRepairRequest.Builder request) {
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> service.schedules(request));
    assertEquals(reason, Service.reason(refused), refused.getMessage());
  }
}
