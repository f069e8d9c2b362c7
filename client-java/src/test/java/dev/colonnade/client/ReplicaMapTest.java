package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.DescribeRingResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which nodes hold a row, and whether the client knows all of them. */
final class ReplicaMapTest {

  @Test
  void aMapThatNamesANodeWithoutAConnectionIsNotComplete() {
    try (FakeNodes nodes = new FakeNodes(3)) {
      nodes.ownThirds(1);
      DescribeRingResponse ring = nodes.ranges;
      KeyTokens<?> tokens = KeyTokens.of("RandomPartitioner");
      assertNotNull(tokens);
      ReplicaMap map =
          ReplicaMap.of(tokens, ring.getRangesList(), ring.getNodesCount(), unknown -> null);
      assertFalse(map.isComplete());
      assertEquals(List.of(), map.of(ByteString.copyFromUtf8("row")));
      assertTrue(ReplicaMap.NONE.isComplete());
    }
  }

  @Test
  void aRowIsHeldByTheNodesOfTheRangeThatItsTokenIsIn() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client =
            nodes.client(
                ClientOptions.defaults().withDiscovery(false),
                nodes.node(0),
                nodes.node(1),
                nodes.node(2))) {
      // The ranges are not in the order of their tokens.
      nodes.own(2, "t", "b", "m");
      KeyTokens<?> tokens = KeyTokens.of("OrderPreservingPartitioner");
      assertNotNull(tokens);
      List<NodeConnection> connections = client.pool().nodes();
      ReplicaMap map =
          ReplicaMap.of(
              tokens,
              nodes.ranges.getRangesList(),
              nodes.ranges.getNodesCount(),
              endpoint ->
                  connections.get(Integer.parseInt(endpoint.nodeId().substring("node-".length()))));
      assertTrue(map.isComplete());
      Map<String, Integer> first =
          Map.of("a", 1, "b", 1, "ba", 2, "m", 2, "ma", 0, "t", 0, "ta", 1, "z", 1);
      first.forEach(
          (key, node) ->
              assertEquals(
                  List.of(connections.get(node), connections.get((node + 1) % 3)),
                  map.of(ByteString.copyFromUtf8(key)),
                  key));
      assertEquals(List.of(), map.of(ByteString.EMPTY));
      // Every node refuses a key that is no text.
      assertEquals(List.of(), map.of(ByteString.copyFrom(new byte[] {(byte) 0xff})));
    }
  }
}
