package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.coordinator.SimulatedCluster;
import dev.colonnade.server.storage.engine.FamilyFigure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of schema and truncation on several nodes. */
class ClusterSchemaTest {

  /** Changes that are under way together, so that a few flushes do for all of them. */
  private static final int AT_ONCE = 50;

  private SimulatedCluster cluster = three();

  private static SimulatedCluster three() {
    try {
      return new SimulatedCluster(3);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void keyspace() {
    cluster.await(
        cluster
            .node(0)
            .schema()
            .createKeyspace(KeyspaceDefinition.of("K").withReplicationFactor(3)));
  }

  private CompletableFuture<String> create(int node, String name) {
    return cluster
        .node(node)
        .schema()
        .createFamily(FamilyDefinition.standard("K", name, "UTF8Type"));
  }

  private void assertAllAgree() {
    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals(cluster.node(0).schema().current().version(), version(node));
    }
  }

  private static String version(SimulatedCluster.Node node) {
    return node.schema().current().version();
  }

  @Test
  void aChangeIsKnownEverywhereWhenItsCallerHearsOfIt() throws Exception {
    cluster.await(create(1, "F"));

    assertAllAgree();
    for (int node = 0; node < 3; node++) {
      ColumnFamily family = cluster.node(node).family("K", "F");
      cluster.await(cluster.node(node).put(family, "k" + node, "c", "v", Consistency.ALL));
    }
  }

  @Test
  void whoWasAwayFetchesWhatChanged() throws Exception {
    cluster.gossiping(true);
    cluster.down(2);
    cluster.await(create(0, "F"));
    cluster.await(
        cluster
            .node(1)
            .schema()
            .updateFamily(
                FamilyDefinition.of("K", "F").with(FamilyField.COMMENT, "changed"), List.of()));
    cluster.down();
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertAllAgree();
    assertEquals("changed", cluster.node(2).family("K", "F").options().comment());
  }

  @Test
  void aFetchThatFailedIsMadeAgain() {
    cluster.down(2);
    cluster.await(create(0, "F"));
    cluster.down();
    cluster.network().lose(route -> route.frame().verb() == Verb.SCHEMA_PULL);
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(15));
    assertNotEquals(version(cluster.node(0)), version(cluster.node(2)));

    cluster.network().lose(route -> false);
    cluster.node(2).schema().compare();
    cluster.scheduler().advance(Duration.ofSeconds(1));
    assertAllAgree();
  }

  @Test
  void whoWasAwayFetchesMoreKeyspacesThanChangesMayWait() throws Exception {
    cluster.gossiping(true);
    cluster.down(2);
    int keyspaces = 1_050;
    List<CompletableFuture<String>> changes = new ArrayList<>();
    for (int i = 0; i < keyspaces; i++) {
      String name = "K" + i;
      changes.add(
          cluster
              .node(0)
              .schema()
              .createKeyspace(
                  KeyspaceDefinition.of(name)
                      .withFamily(FamilyDefinition.standard(name, "F", "UTF8Type"))));
      if (changes.size() == AT_ONCE || i == keyspaces - 1) {
        for (CompletableFuture<String> change : changes) {
          cluster.await(change);
        }
        changes.clear();
      }
    }
    cluster.down();
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(10));

    assertAllAgree();
    assertEquals("F", cluster.node(2).family("K" + (keyspaces - 1), "F").name());
  }

  @Test
  void changesThatWaitForEachOtherAreFlushedTogether() throws Exception {
    cluster.await(create(0, "F"));
    double before = schemaFlushes();
    List<CompletableFuture<String>> changes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      changes.add(create(0, "G" + i));
    }
    CompletableFuture<String> again = create(0, "G7");
    CompletableFuture<String> drop = cluster.node(0).schema().dropFamily("K", "G8");
    CompletableFuture<Void> emptied =
        cluster.node(0).schema().truncate(cluster.node(0).family("K", "F"), cluster.deadline());
    CompletableFuture<String> after = create(0, "After");
    for (CompletableFuture<String> change : changes) {
      cluster.await(change);
    }
    assertEquals("COLUMN_FAMILY_EXISTS", refusal(again));
    cluster.await(drop);
    cluster.await(emptied);
    cluster.await(after);

    assertAllAgree();
    assertTrue(schemaFlushes() - before <= 8, schemaFlushes() + " flushes, and before " + before);
    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("G39", node.family("K", "G39").name());
      assertEquals("After", node.family("K", "After").name());
      assertTrue(node.family("K", "F").truncation() > 0);
      assertThrows(SchemaException.class, () -> node.family("K", "G8"));
    }
  }

  private double schemaFlushes() {
    return cluster
        .node(0)
        .engine()
        .figure(SystemKeyspace.SCHEMA.id(), FamilyFigure.FLUSHES_ON_DEMAND);
  }

  private String refusal(CompletableFuture<String> change) {
    CompletionException failed =
        assertThrows(CompletionException.class, () -> cluster.await(change));
    return ((SchemaException) Objects.requireNonNull(failed.getCause())).kind().name();
  }

  @Test
  void aDropReachesWhoWasAwayAndNothingComesBack() {
    cluster.await(create(0, "F"));
    cluster.down(2);
    cluster.await(cluster.node(0).schema().dropFamily("K", "F"));
    cluster.down();
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertAllAgree();
    assertThrows(SchemaException.class, () -> cluster.node(2).family("K", "F"));
  }

  @Test
  void aNodeThatDoesNotAnswerIsNamed() {
    cluster.silence(2);

    CompletionException failed =
        assertThrows(CompletionException.class, () -> cluster.await(create(0, "F")));

    CoordinationException.SchemaDisagreement disagreement =
        assertInstanceOf(CoordinationException.SchemaDisagreement.class, failed.getCause());
    assertTrue(String.valueOf(disagreement.getMessage()).contains("node2"));
    assertEquals(version(cluster.node(0)), version(cluster.node(1)));
  }

  @Test
  void ofTwoFamiliesMadeAtOnceUnderOneNameOneWinsEverywhere() throws Exception {
    cluster.network().lose(route -> true);
    CompletableFuture<String> here = create(0, "F");
    CompletableFuture<String> there = create(1, "F");
    cluster.outcome(here);
    cluster.outcome(there);
    ColumnFamily first = cluster.node(0).family("K", "F");
    ColumnFamily second = cluster.node(1).family("K", "F");
    assertTrue(!first.id().equals(second.id()));
    cluster.await(cluster.node(0).putHere(first, "k", "c", "first"));
    cluster.await(cluster.node(1).putHere(second, "k", "c", "second"));

    cluster.silence();
    cluster.gossiping(true);
    cluster.scheduler().advance(Duration.ofSeconds(20));

    assertAllAgree();
    ColumnFamily winner = cluster.node(2).family("K", "F");
    ColumnFamily loser = winner.id().equals(first.id()) ? second : first;
    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals(winner.id(), node.family("K", "F").id());
      assertEquals(
          List.of(loser.id()),
          node.schema().current().setAside().stream().map(ColumnFamily::id).toList());
    }
    SimulatedCluster.Node holder = cluster.node(loser.equals(first) ? 0 : 1);
    assertEquals(loser.equals(first) ? "c=first" : "c=second", stored(holder, loser));
  }

  private String stored(SimulatedCluster.Node node, ColumnFamily family) {
    return cluster.await(node.stored(family, "k"));
  }

  @Test
  void versionsSayWhoHasWhich() {
    cluster.gossiping(true);
    cluster.down(2);
    cluster.await(create(0, "F"));
    cluster.scheduler().advance(Duration.ofSeconds(1));

    assertEquals(
        List.of("node0", "node1"),
        cluster
            .node(0)
            .schema()
            .versions()
            .getOrDefault(version(cluster.node(0)), List.of())
            .stream()
            .sorted()
            .toList());
    assertEquals(
        List.of("node2"), cluster.node(0).schema().versions().get(version(cluster.node(2))));
  }

  @Test
  void truncationEmptiesTheFamilyEverywhereIfAllAreAlive() throws Exception {
    cluster.await(create(0, "F"));
    ColumnFamily family = cluster.node(0).family("K", "F");
    cluster.await(cluster.node(0).put(family, "k", "c", "v", Consistency.ALL));
    cluster.silence(2);
    cluster.await(cluster.node(0).put(family, "k2", "c", "v", Consistency.QUORUM));
    cluster.scheduler().advance(Duration.ofSeconds(2));

    cluster.down(2);
    assertEquals("unavailable 2/3", truncate(family));
    cluster.down();
    assertEquals("ok", truncate(family));

    for (SimulatedCluster.Node node : cluster.nodes()) {
      assertEquals("", stored(node, family));
      assertEquals("", cluster.await(node.stored(family, "k2")));
    }
  }

  private String truncate(ColumnFamily family) {
    return cluster.outcome(cluster.node(1).schema().truncate(family, cluster.deadline()));
  }

  @Test
  void aTruncationThatNotAllConfirmTimesOut() throws Exception {
    cluster.await(create(0, "F"));
    cluster.silence(2);

    assertEquals("timeout 2/3", truncate(cluster.node(0).family("K", "F")));
  }
}
