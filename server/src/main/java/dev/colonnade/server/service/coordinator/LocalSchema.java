package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaChange;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schema of this node. Changes are made one at a time: a change is checked against the present
 * schema, written as cells to {@code system.Schema}, flushed to disk, and only then made visible.
 * Any record of a family in the commit log is therefore written after the family itself is on disk.
 *
 * <p>Thread-safe.
 */
public final class LocalSchema implements SchemaStore {

  private static final Logger LOG = LoggerFactory.getLogger(LocalSchema.class);

  /** How many changes may wait; more are refused. */
  private static final int WAITING_MAX = 1_000;

  /** How long a caller waits before its call fails as not done yet. */
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

  /** Computes a change from the schema as it is when the change runs. */
  private interface Transition {
    SchemaChange from(Schema schema, long timestampMicros) throws SchemaException;
  }

  /**
   * A queued change.
   *
   * @param freesRoom whether it may be made on a disk that is nearly full
   */
  private record WaitingChange(
      Transition transition, boolean freesRoom, CompletableFuture<String> done) {}

  private final StorageEngine engine;
  private final Partitioner partitioner;
  private final Clock clock;
  private final Scheduler scheduler;
  private final RandomSource random;
  private final TimestampSource timestamps;
  private final Deadlines deadlines;
  private final Queue<WaitingChange> waiting = new ArrayDeque<>();
  private boolean busy;
  private volatile Schema current;
  private volatile Runnable published = () -> {};

  /**
   * Starts with the schema that the store was opened with.
   *
   * @param random generates ids; used by one thread at a time
   */
  public LocalSchema(
      StorageEngine engine,
      Schema schema,
      Partitioner partitioner,
      Clock clock,
      Scheduler scheduler,
      RandomSource random,
      TimestampSource timestamps) {
    this.engine = engine;
    this.current = schema;
    this.partitioner = partitioner;
    this.clock = clock;
    this.scheduler = scheduler;
    this.random = random;
    this.timestamps = timestamps;
    this.deadlines = new Deadlines(clock, scheduler);
  }

  @Override
  public Schema current() {
    return current;
  }

  /**
   * Sets what runs each time {@link #current} has changed, also by a change whose caller is no
   * longer waiting. It must not block or throw.
   */
  void whenPublished(Runnable listener) {
    published = listener;
  }

  @Override
  public CompletableFuture<String> createKeyspace(KeyspaceDefinition keyspace) {
    return change((schema, now) -> schema.createKeyspace(keyspace, random, now));
  }

  /** As {@link Schema#createConfigured}. */
  public CompletableFuture<String> createConfigured(KeyspaceDefinition keyspace) {
    return change((schema, now) -> schema.createConfigured(keyspace));
  }

  @Override
  public CompletableFuture<String> updateKeyspace(
      KeyspaceDefinition keyspace, List<String> maskPaths) {
    return change(
        (schema, now) -> schema.updateKeyspace(keyspace, new LinkedHashSet<>(maskPaths), now));
  }

  @Override
  public CompletableFuture<String> dropKeyspace(String name) {
    return change((schema, now) -> schema.dropKeyspace(name, now), true);
  }

  @Override
  public CompletableFuture<String> createFamily(FamilyDefinition family) {
    return change((schema, now) -> schema.createFamily(family, random, now));
  }

  @Override
  public CompletableFuture<String> updateFamily(FamilyDefinition family, List<String> maskPaths) {
    return change(
        (schema, now) -> schema.updateFamily(family, new LinkedHashSet<>(maskPaths), now));
  }

  @Override
  public CompletableFuture<String> dropFamily(String keyspace, String name) {
    return change((schema, now) -> schema.dropFamily(keyspace, name, now), true);
  }

  @Override
  public CompletableFuture<Void> truncate(ColumnFamily family, long deadlineNanos) {
    if (deadlines.isOver(deadlineNanos)) {
      return CompletableFuture.failedFuture(Deadlines.tooLate(Consistency.ALL));
    }
    CompletableFuture<Void> truncated =
        change(
                (schema, now) ->
                    schema.truncateFamily(family.id(), schema.nextTruncation(family.id(), now)),
                true)
            .thenApply(version -> null);
    return deadlines.limit(truncated, Consistency.ALL, deadlineNanos);
  }

  @Override
  public CompletableFuture<String> truncateHere(FamilyId family, long number) {
    return change((schema, now) -> schema.truncateFamily(family, number), true);
  }

  /**
   * Merges another node's keyspaces into this schema, as one change.
   *
   * @return completes with descriptions of what could not be merged, once all else is durable and
   *     visible
   */
  CompletableFuture<List<String>> merge(List<SchemaRow> rows) {
    List<String> refused = new ArrayList<>();
    return change((schema, now) -> schema.mergeAll(rows, refused::add), true)
        .thenApply(version -> List.copyOf(refused));
  }

  @Override
  public CompletableFuture<String> inTime(CompletableFuture<String> change, long deadlineNanos) {
    return deadlines.limit(change.copy(), Consistency.ALL, deadlineNanos);
  }

  private CompletableFuture<String> change(Transition transition) {
    return change(transition, false);
  }

  /**
   * Queues a change. If the disk fails, the change waits, since it is in the log already: the
   * caller's future fails after a while, and the change is made once the disk works.
   */
  private CompletableFuture<String> change(Transition transition, boolean freesRoom) {
    CompletableFuture<String> done = new CompletableFuture<>();
    synchronized (waiting) {
      if (waiting.size() >= WAITING_MAX) {
        return CompletableFuture.failedFuture(
            new CoordinationException.Overloaded("the queue of schema changes"));
      }
      waiting.add(new WaitingChange(transition, freesRoom, done));
      if (busy) {
        return limited(done);
      }
      busy = true;
    }
    nextInOrder();
    return limited(done);
  }

  private CompletableFuture<String> limited(CompletableFuture<String> done) {
    return deadlines.limit(done, Consistency.ALL, clock.monotonicNanos() + ANSWER_LIMIT.toNanos());
  }

  private void nextInOrder() {
    WaitingChange next;
    synchronized (waiting) {
      next = waiting.poll();
      if (next == null) {
        busy = false;
        return;
      }
    }
    WaitingChange taken = next;
    if (!scheduler.submit(Stage.MANIFEST, () -> make(taken))) {
      finish(taken, null, new CoordinationException.Overloaded("the manifest stage"));
    }
  }

  private void finish(WaitingChange change, @Nullable String version, @Nullable Throwable failure) {
    if (failure == null) {
      change.done().complete(version);
    } else {
      change.done().completeExceptionally(StorageFailures.translate(failure));
    }
    nextInOrder();
  }

  private void make(WaitingChange taken) {
    SchemaChange change;
    CompletableFuture<?> written;
    try {
      change = taken.transition().from(current, timestamps.nextMicros());
      if (change.isEmpty()) {
        finish(taken, current.version(), null);
        return;
      }
      if (!taken.freesRoom()) {
        change.requireSize();
      }
      for (ColumnFamily family : onlyInSecond(current, change.after())) {
        if (engine.figures(family.id()).isEmpty()) {
          engine.addFamily(family);
        }
      }
      List<CompletableFuture<Void>> emptied = emptied(current, change.after());
      written =
          CompletableFuture.allOf(emptied.toArray(new CompletableFuture<?>[0]))
              .thenCompose(
                  done -> storeOrFail(change.rows(), taken.freesRoom(), !emptied.isEmpty()));
    } catch (SchemaException | IOException | RuntimeException | LinkageError e) {
      // A user's comparator may throw any of these; the next change must still run.
      finish(taken, null, e);
      return;
    }
    Then.whenDone(
        written,
        (done, failure) -> {
          if (failure != null) {
            abandonTruncations(change.after(), () -> finish(taken, null, failure));
          } else if (!scheduler.submit(Stage.MANIFEST, () -> publish(taken, change.after()))) {
            publish(taken, change.after());
          }
        });
  }

  /** Writes the change's cells and flushes them. */
  private CompletableFuture<?> storeOrFail(
      List<SchemaRow> rows, boolean freesRoom, boolean truncated) {
    try {
      CompletableFuture<?> stored = store(rows, freesRoom);
      return truncated ? noted(stored) : stored;
    } catch (InvalidKeyException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Applies the truncations that the change contains, before the change is stored. A node that dies
   * in between receives the truncation again and repeats it, and until then has no write from after
   * it.
   */
  private List<CompletableFuture<Void>> emptied(Schema before, Schema after) {
    List<CompletableFuture<Void>> emptied = new ArrayList<>();
    for (ColumnFamily family : after.families().values()) {
      ColumnFamily known = before.families().get(family.id());
      if (known != null && family.truncation() > known.truncation()) {
        emptied.add(engine.truncate(family.id(), family.truncation()));
      }
    }
    return emptied;
  }

  /** Accepts writes again that do not know of truncations which did not get into the schema. */
  private void abandonTruncations(Schema after, Runnable then) {
    List<CompletableFuture<Void>> abandoned = new ArrayList<>();
    for (ColumnFamily family : after.families().values()) {
      ColumnFamily known = current.families().get(family.id());
      if (known != null && family.truncation() > known.truncation()) {
        abandoned.add(engine.abandonTruncation(family.id()));
      }
    }
    Then.whenDone(
        CompletableFuture.allOf(abandoned.toArray(new CompletableFuture<?>[0])),
        (done, failure) -> then.run());
  }

  /** The rows are already deleted, so failing to record that must not look as if they were not. */
  private static CompletableFuture<?> noted(CompletableFuture<?> stored) {
    CompletableFuture<@Nullable Void> noted = new CompletableFuture<>();
    Then.whenDone(
        stored,
        noted,
        (done, failure) -> {
          if (failure == null) {
            noted.complete(null);
          } else {
            noted.completeExceptionally(
                new CoordinationException.StorageFailed(
                    "the rows are truncated, but that could not be noted in the schema ("
                        + StorageFailures.translate(failure).getMessage()
                        + "); truncate once more when the disk works",
                    failure));
          }
        });
    return noted;
  }

  private CompletableFuture<?> store(List<SchemaRow> rows, boolean freesRoom)
      throws InvalidKeyException {
    List<CompletableFuture<Void>> logged = new ArrayList<>();
    for (SchemaRow row : rows) {
      Mutation mutation = mutation(row);
      logged.add(
          freesRoom ? engine.writeUsingReserve(mutation, true) : engine.write(mutation, true));
    }
    return CompletableFuture.allOf(logged.toArray(new CompletableFuture<?>[0]))
        .thenCompose(done -> engine.flushRetrying(SystemKeyspace.SCHEMA.id()));
  }

  private Mutation mutation(SchemaRow row) throws InvalidKeyException {
    RowUpdate.Builder update = RowUpdate.builder(SystemKeyspace.SCHEMA.order());
    update.deleteRow(row.deletion());
    for (Cell cell : row.cells()) {
      update.add(cell);
    }
    return new Mutation(
        partitioner.rowKey(row.key()),
        List.of(new Mutation.FamilyMutation(SystemKeyspace.SCHEMA.id(), update.build())),
        clock.wallSeconds());
  }

  private void publish(WaitingChange taken, Schema after) {
    Schema before = current;
    // The store comes first: once the schema is visible, writes refer to it.
    for (ColumnFamily family : after.families().values()) {
      if (!family.equals(before.families().get(family.id()))) {
        engine.updateFamily(family);
      }
    }
    current = after;
    published.run();
    List<CompletableFuture<Void>> drops = new ArrayList<>();
    Set<FamilyId> setAside = new LinkedHashSet<>();
    after.setAside().forEach(family -> setAside.add(family.id()));
    for (ColumnFamily family : onlyInSecond(after, before)) {
      drops.add(setAside.contains(family.id()) ? setAside(family) : engine.dropFamily(family.id()));
    }
    Then.whenDone(
        CompletableFuture.allOf(drops.toArray(new CompletableFuture<?>[0])),
        (done, failure) -> finish(taken, after.version(), failure));
  }

  /**
   * Flushes the family's data to its files, which survive a restart although nothing opens them.
   */
  private CompletableFuture<Void> setAside(ColumnFamily family) {
    LOG.warn(
        "column family {} ({}) lost its name to another one that was created at the same time;"
            + " its data is kept and not served",
        family.qualifiedName(),
        family.id());
    return engine.flushRetrying(family.id()).thenApply(files -> null);
  }

  private static List<ColumnFamily> onlyInSecond(Schema first, Schema second) {
    List<ColumnFamily> found = new ArrayList<>();
    for (Map.Entry<FamilyId, ColumnFamily> family : second.families().entrySet()) {
      if (!first.families().containsKey(family.getKey())) {
        found.add(family.getValue());
      }
    }
    return found;
  }
}
