package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.RowMutation;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams that go to the nodes that hold the rows: reads of a range, and batches of writes. */
final class OwnersTest {

  private final FakeNodes nodes = new FakeNodes(3);

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void aRangeIsReadAtItsFirstEndpointAndGoesOnAtTheNextWhenThatStops() {
    nodes.ownThirds(3);
    try (Colonnade client = nodes.client(ClientOptions.defaults(), nodes.node(0))) {
      RingRange range = client.ringOf("K").ranges().get(1);
      List<String> order = range.endpoints().stream().map(Endpoint::nodeId).toList();
      // A node that stops ends its streams without a word of why.
      nodes.node(at(order.get(0))).breaksScansWith = Status.CANCELLED.asRuntimeException();
      List<String> keys = new ArrayList<>();
      try (Cursor<Row<String, Column<String, String>>> rows =
          FakeNodes.family(client).range(KeyRange.in(range), Slice.all())) {
        rows.forEachRemaining(row -> keys.add(row.key()));
      }
      // Each node has rows a and b; the first one breaks off after a.
      assertEquals(List.of("a", "b"), keys);
      assertEquals(List.of(""), List.copyOf(nodes.node(at(order.get(0))).scans));
      assertEquals(List.of("a"), List.copyOf(nodes.node(at(order.get(1))).scans));
      assertEquals(List.of(), List.copyOf(nodes.node(at(order.get(2))).scans));
    }
  }

  @Test
  void aWriterSendsEachRowToItsOwner() {
    nodes.ownThirds(1);
    try (Colonnade client = nodes.client(ClientOptions.defaults(), nodes.node(0))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      try (RoutedWriter writer = client.routedWriter(client.keyspace("K"))) {
        for (int i = 0; i < 100; i++) {
          writer.insert(family, "k" + i, Column.of("c", "v"));
        }
        assertEquals(100, writer.added());
        assertThrows(
            IllegalArgumentException.class,
            () ->
                writer.insert(
                    client
                        .keyspace("Other")
                        .columnFamily("F", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8),
                    "k",
                    Column.of("c", "v")));
      }
      TreeSet<String> written = new TreeSet<>();
      for (int node = 0; node < 3; node++) {
        assertTrue(nodes.node(node).batches.size() <= 1, "a batch for each owner");
        for (BatchMutateRequest batch : nodes.node(node).batches) {
          for (RowMutation row : batch.getRowsList()) {
            String key = row.getKey().toStringUtf8();
            assertEquals(FakeNodes.owner(key), node, key);
            written.add(key);
          }
        }
      }
      assertEquals(100, written.size());
    }
  }

  @Test
  void aWriterSendsTheRowsOfADeadOwnerToTheNext() {
    nodes.ownThirds(2);
    try (Colonnade client = nodes.client(ClientOptions.defaults(), nodes.node(0), nodes.node(1))) {
      ColumnFamily<String, String, String> family = FakeNodes.family(client);
      RoutedWriter writer = client.routedWriter(client.keyspace("K"));
      for (int i = 0; i < 100; i++) {
        writer.insert(family, "k" + i, Column.of("c", "v"));
      }
      // Nothing was sent yet, so no batch without an answer begins the next call by itself.
      nodes.node(2).kill();
      writer.close();
      TreeSet<String> written = new TreeSet<>();
      for (int node = 0; node < 2; node++) {
        for (BatchMutateRequest batch : nodes.node(node).batches) {
          batch.getRowsList().forEach(row -> written.add(row.getKey().toStringUtf8()));
        }
      }
      assertEquals(100, written.size());
    }
  }

  @Test
  void aLookAtTheRingIsMadeAtAnotherNodeWhenOneIsGone() {
    nodes.ownThirds(1);
    nodes.node(0).kill();
    try (Colonnade client = nodes.client(ClientOptions.defaults(), nodes.node(0), nodes.node(1))) {
      for (int i = 0; i < 10; i++) {
        assertEquals(3, client.cluster().ring("K").ranges().size());
      }
    }
  }

  private static int at(String nodeId) {
    return Integer.parseInt(nodeId.substring("node-".length()));
  }
}
