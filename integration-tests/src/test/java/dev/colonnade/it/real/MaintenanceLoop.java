package dev.colonnade.it.real;

import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Makes a node flush and merge continuously, so that any fault finds it in the middle of that. */
final class MaintenanceLoop implements AutoCloseable {

  private static final int FLUSHES_BETWEEN = 5;
  private static final long CALL_SECONDS = 60;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final LocalNode node;
  private final String keyspace;
  private final AtomicLong turns = new AtomicLong();
  private final Thread thread = new Thread(this::run, "maintenance");
  private volatile String refused = "";
  private volatile boolean ending;

  MaintenanceLoop(LocalNode node, String keyspace) {
    this.node = node;
    this.keyspace = keyspace;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** How many flushes and merges have ended. */
  long turns() {
    return turns.get();
  }

  /** Until a flush and a merge have ended that began after now. */
  void awaitTurn() {
    long wanted = turns.get() + 2 * FLUSHES_BETWEEN;
    Await.until(
        () -> turns.get() > wanted, LIMIT, () -> "flushes and merges do not go on: " + refused);
  }

  private void run() {
    for (int turn = 0; !ending; turn++) {
      try {
        if (turn % FLUSHES_BETWEEN == 0) {
          node.node()
              .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
              .compact(CompactRequest.newBuilder().setKeyspace(keyspace).build())
              .forEachRemaining(progress -> {});
        } else {
          node.node()
              .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
              .flush(FlushRequest.newBuilder().setKeyspace(keyspace).build());
        }
        turns.incrementAndGet();
      } catch (StatusRuntimeException e) {
        refused = String.valueOf(e.getMessage());
        Await.pass(Duration.ofMillis(100));
      }
    }
  }

  @Override
  public void close() {
    ending = true;
  }
}
