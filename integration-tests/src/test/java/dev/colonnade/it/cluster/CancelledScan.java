package dev.colonnade.it.cluster;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.colonnade.it.Await;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRangeSlicesResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A scan over all nodes whose caller goes away while another node is at work for it. A scan is
 * asked for in parts of some milliseconds: one that has begun is finished, and no other one begins.
 */
record CancelledScan(TestCluster cluster, Rows rows) {

  private static final int ROWS = 45_000;
  private static final int BATCH = 1_000;

  /** The machine may be busy at that moment, so a few attempts are allowed. */
  private static final int TRIES = 5;

  private static final Duration STOP = Duration.ofMillis(100);
  private static final Duration WATCHED = Duration.ofMillis(300);

  void run() {
    for (int from = 0; from < ROWS; from += BATCH) {
      Map<String, String> batch = new LinkedHashMap<>();
      for (int i = from; i < from + BATCH; i++) {
        batch.put("scanned" + i, "v");
      }
      rows.writeAll(cluster.node(0), batch, CONSISTENCY_LEVEL_ONE);
    }
    long before = begun();
    cluster.node(0).data().getRangeSlices(rows.fruitlessScan(CONSISTENCY_LEVEL_ONE));
    long parts = begun() - before;
    assertTrue(parts >= 4, () -> "a scan has " + parts + " parts on other nodes");
    List<String> tries = new ArrayList<>();
    while (!stopsInTime(parts, tries)) {
      assertTrue(tries.size() < TRIES, tries::toString);
    }
  }

  private boolean stopsInTime(long parts, List<String> tries) {
    long before = begun();
    ListenableFuture<GetRangeSlicesResponse> scan =
        ColumnStoreServiceGrpc.newFutureStub(cluster.node(0).channel())
            .getRangeSlices(rows.fruitlessScan(CONSISTENCY_LEVEL_ONE));
    Await.until(() -> begun() > before, TestCluster.LIMIT, () -> "no other node was asked");
    scan.cancel(true);
    Await.pass(STOP);
    long then = begun();
    Await.pass(WATCHED);
    long later = begun();
    tries.add((then - before) + " parts were begun, and " + (later - then) + " later, of " + parts);
    return then == later && then - before < parts;
  }

  /** How many parts of scans other nodes were given. */
  private long begun() {
    long sum = 0;
    for (int i = 0; i < cluster.size(); i++) {
      sum += cluster.view(i).messages("READ_RANGE").getReceived();
    }
    return sum;
  }
}
