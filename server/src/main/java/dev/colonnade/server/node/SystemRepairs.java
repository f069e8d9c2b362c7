package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.cluster.repair.RepairTasks;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.SystemRow;
import dev.colonnade.server.storage.mutation.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves repair tasks in {@code system.Repairs}: a row for each family and node, under both ids, and
 * in it a column for each range: the token before it, and its last one. Thread-safe; never blocks.
 */
final class SystemRepairs implements RepairTasks.Storage {

  private static final Logger LOG = LoggerFactory.getLogger(SystemRepairs.class);
  private static final String SEPARATOR = " ";

  private final StorageEngine engine;
  private final Partitioner partitioner;
  private final Clock clock;
  private final List<RepairTask> saved = new ArrayList<>();

  /** The newest timestamp saved; a newer task must win even if the wall clock went back. */
  private final AtomicLong newestMicros = new AtomicLong();

  /**
   * Creates it with what an earlier run saved; malformed entries are left out.
   *
   * @param rows of {@code system.Repairs}
   */
  SystemRepairs(StorageEngine engine, Partitioner partitioner, Clock clock, List<SystemRow> rows) {
    this.engine = engine;
    this.partitioner = partitioner;
    this.clock = clock;
    rows.forEach(this::read);
  }

  @Override
  public List<RepairTask> saved() {
    return List.copyOf(saved);
  }

  private void read(SystemRow row) {
    String subject = text(row.key().key());
    try {
      String[] ids = subject.split(SEPARATOR, 2);
      List<TokenRange> ranges = new ArrayList<>();
      for (Cell cell : row.cells()) {
        newestMicros.accumulateAndGet(cell.timestamp(), Math::max);
        String[] tokens = text(cell.value()).split(SEPARATOR, 2);
        ranges.add(new TokenRange(token(tokens[0]), token(tokens[tokens.length - 1])));
      }
      saved.add(new RepairTask(FamilyId.parse(ids[0]), ids[ids.length - 1], ranges));
    } catch (IllegalArgumentException e) {
      LOG.warn("the entry {} in system.Repairs is invalid: {}", subject, e.getMessage());
    }
  }

  /** Uses the disk reserve: it is some kilobytes, and a full disk is why replicas lack rows. */
  @Override
  public CompletableFuture<Void> save(RepairTask task) {
    long now =
        newestMicros.accumulateAndGet(clock.wallMicros(), (kept, wall) -> Math.max(kept + 2, wall));
    RowUpdate.Builder row =
        RowUpdate.builder(SystemKeyspace.REPAIRS.order())
            .deleteRow(new DeletionTime(now - 1, clock.wallSeconds()));
    for (int i = 0; i < task.ranges().size(); i++) {
      TokenRange range = task.ranges().get(i);
      String tokens = hex(range.start()) + SEPARATOR + hex(range.end());
      row.add(Cell.live(bytes("range" + i), null, bytes(tokens), now));
    }
    RowKey key;
    try {
      key = partitioner.rowKey(bytes(task.family() + SEPARATOR + task.nodeId()));
    } catch (InvalidKeyException e) {
      return CompletableFuture.failedFuture(e);
    }
    Mutation mutation =
        new Mutation(
            key,
            List.of(new Mutation.FamilyMutation(SystemKeyspace.REPAIRS.id(), row.build())),
            clock.wallSeconds());
    return engine
        .writeUsingReserve(mutation, true)
        .thenCompose(written -> engine.flush(SystemKeyspace.REPAIRS.id()))
        .thenAccept(files -> {});
  }

  private static String hex(byte[] token) {
    return HexFormat.of().formatHex(token);
  }

  private static byte[] token(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
