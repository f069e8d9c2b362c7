package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.DecommissionRequest;
import dev.colonnade.admin.v1.DecommissionResponse;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.it.Await;
import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.LocalNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A further node joins and leaves while clients write and read: it is killed while it fetches its
 * rows, started again, and serves; then it hands its rows back.
 */
record FourthNode(TestCluster cluster, Rows rows) {

  private static final int ROWS = 100;
  private static final int ROW_BYTES = 20_000;
  private static final long LEAVE_SECONDS = 120;

  void run() throws Exception {
    Map<String, String> large = new LinkedHashMap<>();
    for (int i = 0; i < ROWS; i++) {
      large.put("moved" + i, "x".repeat(ROW_BYTES));
    }
    rows.writeAll(cluster.node(0), large, CONSISTENCY_LEVEL_ALL);
    int size = cluster.size();
    try (QuorumLoad load = QuorumLoad.start(rows, cluster, size, size)) {
      load.goOn();
      LocalNode.Settings settings = cluster.settings(cluster.newPlace(), "--bootstrap");
      dieOnTheWay(settings);
      load.goOn();
      cluster.joined(LocalNode.process(settings));
      cluster.awaitUp(size + 1);
      assertEquals("", load.failures(), "while a node joined");
      String joined = cluster.view(size).id();
      List<String> fetched =
          large.keySet().stream()
              .filter(key -> cluster.view(0).owners(rows.keyspace(), key).contains(joined))
              .toList();
      assertTrue(fetched.size() > 0, "it owns rows");
      requireOn(size, fetched);
      load.goOn();
      leave(size);
      cluster.dismissLast();
      cluster.awaitUp(size);
      load.goOn();
      assertEquals("", load.lostAt(cluster.node(0)), "acknowledged and lost");
      assertEquals("", load.failures(), "while a node came and went");
    }
    for (int i = 0; i < size; i++) {
      requireOn(i, large.keySet());
    }
  }

  /** At ONE a replica answers from its own store. */
  private void requireOn(int index, Collection<String> keys) {
    for (String key : keys) {
      assertTrue(
          rows.read(cluster.node(index), key, CONSISTENCY_LEVEL_ONE).isPresent(),
          () -> "node " + index + " lacks " + key);
    }
  }

  /** Joining is seen by the others when the node has announced its token. */
  private void dieOnTheWay(LocalNode.Settings settings) throws Exception {
    Process joining = LocalNode.launch(settings);
    try {
      Await.until(
          () -> isJoining() && cluster.view(0).messages("STREAM_CHUNK").getSent() > 0,
          TestCluster.LIMIT,
          () -> "the node that joins is not sent anything; the ring is " + cluster.view(0).ring());
    } finally {
      joining.destroyForcibly();
      assertTrue(ChildJvm.exited(joining, TestCluster.LIMIT));
    }
    assertTrue(isJoining(), "it was killed on the way");
  }

  private boolean isJoining() {
    return cluster.view(0).ring().stream()
        .anyMatch(node -> node.getState() == NodeState.NODE_STATE_JOINING);
  }

  private void leave(int index) {
    Iterator<DecommissionResponse> answers =
        cluster
            .node(index)
            .node()
            .withDeadlineAfter(LEAVE_SECONDS, TimeUnit.SECONDS)
            .decommission(DecommissionRequest.getDefaultInstance());
    List<String> phases = new ArrayList<>();
    answers.forEachRemaining(answer -> phases.add(answer.getProgress().getPhase()));
    assertEquals("done", phases.get(phases.size() - 1), phases::toString);
  }
}
