package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.DescribeRingResponse;
import java.util.List;
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
}
