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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes without a waiting caller, more than the connections between nodes carry, so that they
 * queue up. Heartbeats have a connection of their own, and no node is suspected. How far a
 * heartbeat is behind is counted in those that its node has made since: a machine that is busy
 * delays both.
 */
final class SaturatedChannel {

  private static final int VALUE_BYTES = 500_000;
  private static final int OPEN_CALLS = 64;
  private static final Duration SPAN = Duration.ofSeconds(4);
  private static final Duration SPAN_MAX = Duration.ofSeconds(20);

  /** More than fits into a connection whose other end does not read. */
  private static final double QUEUED_BYTES = 1 << 20;

  /** At 5 a node counts as down; without disturbance phi stays below 1. */
  private static final double PHI_MAX = 4;

  /** One or two are in transit. */
  private static final long BEHIND_MAX = 4;

  /** The machine may be busy, so a few attempts are allowed. */
  private static final int ROUNDS = 3;

  private final TestCluster cluster;
  private final Rows rows;
  private final Semaphore open = new Semaphore(OPEN_CALLS);
  private final List<String> ids = new ArrayList<>();
  private double worstPhi;
  private double mostQueued;
  private long mostBehind;

  SaturatedChannel(TestCluster cluster, Rows rows) {
    this.cluster = cluster;
    this.rows = rows;
    for (int i = 0; i < cluster.size(); i++) {
      ids.add(cluster.view(i).id());
    }
  }

  void run() throws IOException, InterruptedException {
    List<String> rounds = new ArrayList<>();
    String late = round();
    while (!late.isEmpty()) {
      rounds.add(late);
      assertTrue(rounds.size() < ROUNDS, rounds::toString);
      late = round();
    }
  }

  /** Fills the channel once. What was late; empty if nothing was. */
  private String round() throws IOException, InterruptedException {
    worstPhi = 0;
    mostQueued = 0;
    mostBehind = 0;
    AtomicBoolean enough = new AtomicBoolean();
    AtomicInteger sent = new AtomicInteger();
    Thread sender = new Thread(() -> sendUntil(enough, sent), "saturating");
    sender.setDaemon(true);
    sender.start();
    long begin = System.nanoTime();
    try {
      // On a slow machine it takes longer until messages queue up.
      while (isBefore(begin, SPAN) || (mostQueued <= QUEUED_BYTES && isBefore(begin, SPAN_MAX))) {
        look();
      }
    } finally {
      enough.set(true);
    }
    sender.join();
    open.acquire(OPEN_CALLS);
    open.release(OPEN_CALLS);
    look();
    for (int i = 0; i < cluster.size(); i++) {
      assertEquals(cluster.size(), cluster.view(i).countUp(), "no node is considered down");
    }
    if (mostQueued <= QUEUED_BYTES) {
      return "no more than " + mostQueued + " bytes waited, of " + sent + " writes";
    }
    return worstPhi < PHI_MAX && mostBehind <= BEHIND_MAX
        ? ""
        : "phi grew to " + worstPhi + ", and " + mostBehind + " heartbeats had not arrived";
  }

  private static boolean isBefore(long begin, Duration span) {
    return System.nanoTime() - begin < span.toNanos();
  }

  private void sendUntil(AtomicBoolean enough, AtomicInteger sent) {
    while (!enough.get()) {
      open.acquireUninterruptibly();
      send(sent.getAndIncrement());
    }
  }

  private void send(int number) {
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
    mostQueued =
        Math.max(
            mostQueued, cluster.view(0).metric("colonnade_peer_queued_bytes", "channel=\"data\""));
    for (int i = 0; i < cluster.size(); i++) {
      NodeView node = cluster.view(i);
      NodeView next = cluster.view((i + 1) % cluster.size());
      // Asked in this order, the second may be the newer one, and is never the older by accident.
      long made = node.gossipOf(ids.get(i)).getVersion();
      GossipEntry heard = next.gossipOf(ids.get(i));
      mostBehind = Math.max(mostBehind, made - heard.getVersion());
      worstPhi = Math.max(worstPhi, heard.getPhi());
    }
  }
}
