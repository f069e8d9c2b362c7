package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The rows and the schema of a node that is alone: its coordinator over its engine, on a disk in
 * memory. What its stages have to do for a call is done before the call returns, so that a test
 * need not wait. Thread-safe by one lock.
 */
final class EngineRows implements RowStore, SchemaStore {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Files in small blocks, and records as large as requests may be. */
  private static final EngineSettings SETTINGS =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withLog(
              new CommitLogSettings(64 << 10, 64 << 20, CommitLogSettings.LARGEST_RECORD_BYTES))
          .build();

  private final SimulatedStore store;

  /** What a change of the schema was last given to spread. */
  volatile long lastDeadlineNanos;

  EngineRows(SimClock clock, Partitioner partitioner) {
    try {
      store = SimulatedStore.open(new SimFileSystem(), SETTINGS, clock, partitioner);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SchemaException e) {
      throw new AssertionError("an empty disk holds no schema", e);
    }
  }

  /** The store below the services. */
  SimulatedStore store() {
    return store;
  }

  private <T> CompletableFuture<T> ended(CompletableFuture<T> future) {
    if (!future.isDone()) {
      store.scheduler().runUntil(future::isDone, PATIENCE);
    }
    store.guarded().check();
    return future;
  }

  @Override
  public synchronized CompletableFuture<SlicePage> read(SliceRead read) {
    return ended(store.coordinator().read(read));
  }

  @Override
  public synchronized CompletableFuture<RangePage> readRange(RangeRead read) {
    return ended(store.coordinator().readRange(read));
  }

  @Override
  public synchronized CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    return ended(store.coordinator().write(mutations, durable, consistency, deadlineNanos));
  }

  @Override
  public synchronized CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations,
      boolean durable,
      Consistency consistency,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    return ended(store.coordinator().write(mutations, durable, consistency, deadlineNanos, trace));
  }

  @Override
  public boolean isBehind() {
    return store.coordinator().isBehind();
  }

  @Override
  public boolean isCatchingUp() {
    return store.coordinator().isCatchingUp();
  }

  @Override
  public Schema current() {
    return store.schema().current();
  }

  @Override
  public synchronized CompletableFuture<String> createKeyspace(KeyspaceDefinition keyspace) {
    return ended(store.schema().createKeyspace(keyspace));
  }

  @Override
  public synchronized CompletableFuture<String> updateKeyspace(
      KeyspaceDefinition keyspace, List<String> maskPaths) {
    return ended(store.schema().updateKeyspace(keyspace, maskPaths));
  }

  @Override
  public synchronized CompletableFuture<String> dropKeyspace(String name) {
    return ended(store.schema().dropKeyspace(name));
  }

  @Override
  public synchronized CompletableFuture<String> createFamily(FamilyDefinition family) {
    return ended(store.schema().createFamily(family));
  }

  @Override
  public synchronized CompletableFuture<String> updateFamily(
      FamilyDefinition family, List<String> maskPaths) {
    return ended(store.schema().updateFamily(family, maskPaths));
  }

  @Override
  public synchronized CompletableFuture<String> dropFamily(String keyspace, String name) {
    return ended(store.schema().dropFamily(keyspace, name));
  }

  @Override
  public synchronized CompletableFuture<Void> truncate(ColumnFamily family, long deadlineNanos) {
    return ended(store.schema().truncate(family, deadlineNanos));
  }

  @Override
  public synchronized CompletableFuture<String> truncateHere(FamilyId family, long number) {
    return ended(store.schema().truncateHere(family, number));
  }

  @Override
  public synchronized CompletableFuture<String> inTime(
      CompletableFuture<String> change, long deadlineNanos) {
    lastDeadlineNanos = deadlineNanos;
    return ended(store.schema().inTime(change, deadlineNanos));
  }
}
