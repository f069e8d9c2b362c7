package dev.colonnade.server.service.schemasync;

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
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.CoordinatorSettings;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.service.consistency.TimestampSource;
import dev.colonnade.server.service.schemasync.SchemaChangeGroup.WaitingChange;
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
 * Changes that wait meanwhile are written and flushed together, since that is what takes the time.
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
    this.deadlines = new Deadlines(clock, scheduler, CoordinatorSettings.DEFAULT.timeout());
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
    return change(
            (schema, now) -> {
              refused.clear(); // it may be computed twice
              return schema.mergeAll(rows, refused::add);
            },
            true)
        .thenApply(version -> List.copyOf(refused));
  }

  @Override
  public CompletableFuture<String> inTime(CompletableFuture<String> change, long deadlineNanos) {
    return deadlines.limit(change.copy(), Consistency.ALL, deadlineNanos);
  }

  private CompletableFuture<String> change(SchemaChangeGroup.Transition transition) {
    return change(transition, false);
  }

  /**
   * Queues a change. If the disk fails, the change waits, since it is in the log already: the
   * caller's future fails after a while, and the change is made once the disk works.
   */
  private CompletableFuture<String> change(
      SchemaChangeGroup.Transition transition, boolean freesRoom) {
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
    synchronized (waiting) {
      if (waiting.isEmpty()) {
        busy = false;
        return;
      }
    }
    if (!scheduler.submit(Stage.MANIFEST, this::makeGroup)) {
      List<WaitingChange> refused;
      synchronized (waiting) {
        refused = List.copyOf(waiting);
        waiting.clear();
        busy = false;
      }
      for (WaitingChange change : refused) {
        change
            .done()
            .completeExceptionally(new CoordinationException.Overloaded("the manifest stage"));
      }
    }
  }

  private void finish(SchemaChangeGroup group, @Nullable Throwable failure) {
    if (failure == null) {
      group.succeed();
    } else {
      group.fail(StorageFailures.translate(failure));
    }
    nextInOrder();
  }

  private void makeGroup() {
    SchemaChangeGroup group = new SchemaChangeGroup(current);
    CompletableFuture<?> written;
    try {
      WaitingChange next = waitingFirst();
      while (next != null && group.add(next, timestamps.nextMicros())) {
        synchronized (waiting) {
          waiting.remove();
        }
        next = waitingFirst();
      }
      if (group.rows().isEmpty()) {
        finish(group, null);
        return;
      }
      engine.addFamilies(
          onlyInSecond(current, group.after()).stream()
              .filter(family -> engine.figures(family.id()).isEmpty())
              .toList());
      List<CompletableFuture<Void>> emptied = emptied(current, group.after());
      written =
          CompletableFuture.allOf(emptied.toArray(new CompletableFuture<?>[0]))
              .thenCompose(
                  done -> storeOrFail(group.rows(), group.freesRoom(), !emptied.isEmpty()));
    } catch (IOException | RuntimeException | LinkageError e) {
      // A user's comparator may throw any of these; the next changes must still run.
      finish(group, e);
      return;
    }
    Then.whenDone(
        written,
        (done, failure) -> {
          if (failure != null) {
            abandonTruncations(group.after(), () -> finish(group, failure));
          } else if (!scheduler.submit(Stage.MANIFEST, () -> publish(group))) {
            publish(group);
          }
        });
  }

  private @Nullable WaitingChange waitingFirst() {
    synchronized (waiting) {
      return waiting.peek();
    }
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
                    "the rows are truncated, but the schema could not record it ("
                        + StorageFailures.translate(failure).getMessage()
                        + "); truncate again when the disk works",
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

  private void publish(SchemaChangeGroup group) {
    Schema before = current;
    Schema after = group.after();
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
        (done, failure) -> finish(group, failure));
  }

  /**
   * Flushes the family's data to its files, which survive a restart although nothing opens them.
   */
  private CompletableFuture<Void> setAside(ColumnFamily family) {
    LOG.warn(
        "column family {} ({}) lost its name to another one that was created at the same time; its"
            + " data is kept but not served",
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
