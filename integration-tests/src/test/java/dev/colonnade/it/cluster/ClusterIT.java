package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.it.Await;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes as processes: what is written through one is there for all, also when one is not. */
final class ClusterIT {

  private static final int ROWS = 200;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void quorumWorksAcrossTheDeathAndReturnOfANode() throws Exception {
    try (TestCluster cluster = TestCluster.start(folder, 3)) {
      cluster.create(Rows.keyspace(3));
      for (int i = 0; i < ROWS; i++) {
        Rows.write(cluster.node(i % 3), key(i), "first", CONSISTENCY_LEVEL_QUORUM);
      }
      for (int i = 0; i < ROWS; i++) {
        assertEquals(
            Optional.of("first"),
            Rows.read(cluster.node((i + 1) % 3), key(i), CONSISTENCY_LEVEL_QUORUM));
      }
      cluster.kill(2);
      cluster.awaitUp(2);
      for (int i = 0; i < ROWS; i++) {
        Rows.write(cluster.node(i % 2), key(i), "second", CONSISTENCY_LEVEL_QUORUM);
        assertEquals(
            Optional.of("second"),
            Rows.read(cluster.node((i + 1) % 2), key(i), CONSISTENCY_LEVEL_QUORUM));
      }
      StatusRuntimeException refused =
          assertThrows(
              StatusRuntimeException.class,
              () -> Rows.write(cluster.node(0), "x", "v", CONSISTENCY_LEVEL_ALL));
      assertEquals(Status.Code.UNAVAILABLE, refused.getStatus().getCode());
      cluster.restart(2);
      cluster.awaitUp(3);
      // Hints bring the node what it missed; nothing else reads or writes these rows.
      for (int i = 0; i < ROWS; i++) {
        String key = key(i);
        Await.until(
            () ->
                Rows.read(cluster.node(2), key, CONSISTENCY_LEVEL_ONE)
                    .equals(Optional.of("second")),
            LIMIT,
            () -> key + " did not arrive at the node that was away");
      }
    }
  }

  private static String key(int i) {
    return "row" + i;
  }
}
