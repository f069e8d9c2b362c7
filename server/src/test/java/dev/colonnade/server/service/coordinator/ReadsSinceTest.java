package dev.colonnade.server.service.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.consistency.Consistency;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Slices by time written, of three replicas that do not have the same. */
class ReadsSinceTest {

  @SuppressWarnings("NullAway.Init") // set before each test
  private SimulatedCluster cluster;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ColumnFamily family;

  @BeforeEach
  void start() throws Exception {
    cluster = new SimulatedCluster(3);
    SimulatedCluster.Node node = cluster.node(0);
    cluster.await(
        node.schema().createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(3)));
    cluster.await(
        node.schema()
            .createFamily(
                FamilyDefinition.standard("K", "F", "UTF8Type")
                    .with(FamilyField.READ_REPAIR_CHANCE, 0.0)));
    family = node.family("K", "F");
  }

  private void put(String column, String value) {
    cluster.await(cluster.node(0).put(family, "k", column, value, Consistency.ALL));
  }

  private void putOn(int node, String column, String value) {
    cluster.await(cluster.node(node).putHere(family, "k", column, value));
  }

  /** A moment after all writes so far, and before all that follow. */
  private long now() {
    cluster.clock().advance(Duration.ofMillis(1));
    return cluster.clock().wallMicros();
  }

  private String since(int node, long timestamp, long limit) {
    return read(node, new Slice(List.of(PathRange.ALL), false, false, limit).since(timestamp));
  }

  private String read(int node, Slice slice) {
    return cluster.await(cluster.node(node).page(family, "k", slice, 1 << 20, Consistency.ALL));
  }

  private String stored(int node) {
    return cluster.await(cluster.node(node).stored(family, "k"));
  }

  @Test
  void aStaleReplicaNeitherHidesNorAddsAnythingAndIsRepaired() {
    put("a", "old");
    put("b", "old");
    put("c", "old");
    long moment = now();
    putOn(1, "a", "new");
    putOn(2, "d", "new");
    cluster.await(cluster.node(1).deleteHere(family, "k", "b"));

    assertEquals("a=new d=new", since(0, moment, Long.MAX_VALUE));

    for (int node = 0; node < 3; node++) {
      assertEquals("a=new c=old d=new", stored(node), "what node " + node + " has of it now");
    }
    cluster.network().delivered();
    assertEquals("a=new d=new", since(2, moment, Long.MAX_VALUE));
    assertOnlyDigests();
  }

  @Test
  void aColumnWhoseNewestVersionIsADeletionOrTooOldIsNotFound() {
    putOn(0, "a", "first");
    long moment = now();
    putOn(1, "a", "second");
    cluster.await(cluster.node(2).deleteHere(family, "k", "a"));
    putOn(0, "b", "third");

    assertEquals("b=third", since(1, moment, Long.MAX_VALUE));
    Slice named =
        new Slice(
            List.of(
                PathRange.of(SimulatedCluster.bytes("a")),
                PathRange.of(SimulatedCluster.bytes("b")),
                PathRange.of(SimulatedCluster.bytes("c"))),
            false,
            false,
            Long.MAX_VALUE);
    assertEquals("b=third", read(2, named.since(moment)));
    assertEquals("", read(2, named.since(now())));
  }

  @Test
  void replicasThatDifferInOlderColumnsAloneAgree() {
    putOn(0, "a", "old");
    putOn(1, "b", "old");
    cluster.await(cluster.node(2).deleteHere(family, "k", "c"));
    long moment = now();
    put("d", "new");
    cluster.network().delivered();

    assertEquals("d=new", since(0, moment, Long.MAX_VALUE));
    assertOnlyDigests();
    assertEquals(0, mismatches());
    assertEquals("a=old d=new", stored(0));
  }

  private long mismatches() {
    return cluster.nodes().stream()
        .mapToLong(node -> node.coordinator().figures().mismatches())
        .sum();
  }

  private void assertOnlyDigests() {
    List<Frame> frames = cluster.network().delivered();
    assertEquals(4, frames.size(), "two requests and their answers");
    assertTrue(frames.stream().allMatch(frame -> frame.verb() == Verb.READ_DIGEST));
  }

  @Test
  void theLimitCountsWhatPasses() {
    for (int i = 0; i < 30; i++) {
      putOn(i % 3, String.format("c%02d", i), "old");
    }
    long moment = now();
    for (int i = 0; i < 30; i += 7) {
      putOn(i % 3, String.format("c%02d", i), "new");
    }

    assertEquals("c00=new c07=new c14=new", since(1, moment, 3));
    assertEquals("c00=new c07=new c14=new c21=new c28=new", since(1, moment, 9));
  }
}
