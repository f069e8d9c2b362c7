package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ZERO;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.GossipEntry;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.WriteOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Writes that nobody waits for, more than the connections between nodes carry, so that they queue
 * up. Heartbeats have a connection of their own, and nobody is suspected.
 */
final class SaturatedChannel {

  private static final int VALUE_BYTES = 500_000;
  private static final int OPEN_CALLS = 64;
  private static final int CALLS_BETWEEN_LOOKS = 8;
  private static final Duration SPAN = Duration.ofSeconds(4);

  /** More than is under way on a connection whose other end does not read. */
  private static final double QUEUED_BYTES = 1 << 20;

  /** At 5 a node counts as down; without disturbance phi stays below 1. */
  private static final double PHI_MAX = 4;

  private final TestCluster cluster;
  private final Rows rows;
  private final Semaphore open = new Semaphore(OPEN_CALLS);
  private double worstPhi;
  private double mostQueued;

  SaturatedChannel(TestCluster cluster, Rows rows) {
    this.cluster = cluster;
    this.rows = rows;
  }

  void run() throws IOException, InterruptedException {
    long[] heartbeats = new long[cluster.size()];
    for (int i = 0; i < cluster.size(); i++) {
      heartbeats[i] = heartbeat(i);
    }
    long begin = System.nanoTime();
    for (int sent = 0; System.nanoTime() - begin < SPAN.toNanos(); sent++) {
      send(sent);
      if (sent % CALLS_BETWEEN_LOOKS == 0) {
        look();
      }
    }
    open.acquire(OPEN_CALLS);
    look();
    Duration passed = Duration.ofNanos(System.nanoTime() - begin);
    assertTrue(mostQueued > QUEUED_BYTES, () -> "no more than " + mostQueued + " bytes waited");
    assertTrue(worstPhi < PHI_MAX, () -> "phi grew to " + worstPhi);
    for (int i = 0; i < cluster.size(); i++) {
      long heard = heartbeat(i) - heartbeats[i];
      int node = i;
      assertTrue(
          heard >= passed.toSeconds() - 1,
          () -> "of node " + node + " " + heard + " heartbeats were heard in " + passed);
      assertEquals(cluster.size(), cluster.view(i).countUp(), "nobody is held to be down");
    }
  }

  private void send(int number) throws InterruptedException {
    open.acquire();
    ColumnStoreServiceGrpc.newFutureStub(cluster.node(0).channel())
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(rows.keyspace())
                .setKey(ByteString.copyFromUtf8("flood" + number))
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Rows.FAMILY))
                .setColumn(
                    Column.newBuilder()
                        .setName(ByteString.copyFromUtf8("c"))
                        .setValue(ByteString.copyFrom(new byte[VALUE_BYTES])))
                .setOptions(WriteOptions.newBuilder().setConsistencyLevel(CONSISTENCY_LEVEL_ZERO))
                .build())
        .addListener(open::release, MoreExecutors.directExecutor());
  }

  private void look() throws IOException, InterruptedException {
    for (int i = 0; i < cluster.size(); i++) {
      for (GossipEntry entry : cluster.view(i).gossip()) {
        worstPhi = Math.max(worstPhi, entry.getPhi());
      }
    }
    mostQueued =
        Math.max(
            mostQueued, cluster.view(0).metric("colonnade_peer_queued_bytes", "lane=\"data\""));
  }

  /** The newest word of a node that the next one has heard. */
  private long heartbeat(int index) {
    int next = (index + 1) % cluster.size();
    return cluster.view(next).gossipOf(cluster.view(index).id()).getVersion();
  }
}
