package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A store on simulated seams under one configuration. */
final class StoreTarget extends Target {

  private final Configuration configuration;
  private final SimClock clock = new SimClock();
  private final Map<Families.Shape, FamilyDefinition> definitions =
      new EnumMap<>(Families.Shape.class);
  private SimFileSystem files;
  private SimulatedStore store;
  private long dueNanos;

  private StoreTarget(
      Configuration configuration, Map<FamilyField, String> fields, SimFileSystem files)
      throws Exception {
    this.configuration = configuration;
    this.files = files;
    this.store = open();
    for (Families.Shape shape : Families.Shape.values()) {
      FamilyDefinition definition = shape.definition();
      for (Map.Entry<FamilyField, String> field : fields.entrySet()) {
        definition = definition.with(field.getKey(), field.getValue());
      }
      definitions.put(shape, definition);
    }
  }

  /** A disk with a store on it that has all families and no rows. */
  static SimFileSystem disk(Configuration configuration, Map<FamilyField, String> fields)
      throws Exception {
    StoreTarget target = new StoreTarget(configuration, fields, new SimFileSystem());
    target.await(target.store.schema().createKeyspace(KeyspaceDefinition.of(Families.KEYSPACE)));
    for (Families.Shape shape : Families.Shape.values()) {
      target.await(target.store.schema().createFamily(target.configured(target.definition(shape))));
    }
    target.close();
    return target.files;
  }

  /** A store on a copy of such a disk, in which no time has passed. */
  static StoreTarget on(
      SimFileSystem disk, Configuration configuration, Map<FamilyField, String> fields)
      throws Exception {
    return new StoreTarget(configuration, fields, disk.crashClone());
  }

  private SimulatedStore open() throws Exception {
    return SimulatedStore.open(files, configuration.settings(), clock, configuration.partitioner());
  }

  private FamilyDefinition configured(FamilyDefinition definition) {
    FamilyDefinition configured = definition;
    for (Map.Entry<FamilyField, String> field : configuration.fields().entrySet()) {
      configured = configured.with(field.getKey(), field.getValue());
    }
    return configured;
  }

  /** What the configuration does by itself after each operation. */
  void afterOperation(int number, Operation operation) throws Exception {
    if (configuration.flushesEachWrite() && operation instanceof Write write) {
      for (Families.Shape shape : Families.Shape.values()) {
        if (write.parts().stream().anyMatch(part -> part.shape() == shape)) {
          flush(shape);
        }
      }
    }
    if (isTurn(number, configuration.compactsEach())) {
      for (Families.Shape shape : Families.Shape.values()) {
        compact(shape);
      }
    }
    if (isTurn(number, configuration.mergesPairsEach())) {
      for (Families.Shape shape : Families.Shape.values()) {
        mergePairs(shape);
      }
    }
    if (isTurn(number, configuration.restartsEach())) {
      restart(configuration.restart());
    }
    List<Throwable> failures = store.scheduler().failures();
    if (!failures.isEmpty()) {
      throw new AssertionError("a task failed", failures.get(0));
    }
  }

  private static boolean isTurn(int number, int each) {
    return each > 0 && number % each == each - 1;
  }

  /**
   * Lets the store merge by itself for a moment: pairs of the smallest files, until one is left.
   */
  private void mergePairs(Families.Shape shape) {
    FamilyDefinition merging = definition(shape);
    for (Map.Entry<FamilyField, String> field : Configuration.MERGES_PAIRS.entrySet()) {
      merging = merging.with(field.getKey(), field.getValue());
    }
    await(store.schema().updateFamily(merging, List.of()));
    store.scheduler().runUntilIdle();
    await(store.schema().updateFamily(configured(definition(shape)), List.of()));
  }

  void close() throws Exception {
    store.close();
  }

  @Override
  RowStore rows() {
    return configuration.seenBy(store.coordinator());
  }

  @Override
  ColumnFamily family(Families.Shape shape) {
    return store.family(Families.KEYSPACE, shape.definition().name());
  }

  @Override
  RowKey key(int number) {
    try {
      return store.partitioner().rowKey(Families.key(number));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  long nowSeconds() {
    return clock.wallSeconds();
  }

  @Override
  <T> T await(CompletableFuture<T> future) {
    return store.await(future);
  }

  @Override
  void flush(Families.Shape shape) {
    await(store.engine().flush(family(shape).id()));
  }

  @Override
  void compact(Families.Shape shape) {
    await(store.engine().compact(family(shape).id(), progress -> {}));
  }

  @Override
  void truncate(Families.Shape shape) {
    await(store.schema().truncate(family(shape), Long.MAX_VALUE));
  }

  @Override
  void recreate(Families.Shape shape) {
    await(store.schema().dropFamily(Families.KEYSPACE, shape.definition().name()));
    await(store.schema().createFamily(configured(definition(shape))));
  }

  private FamilyDefinition definition(Families.Shape shape) {
    return Objects.requireNonNull(definitions.get(shape));
  }

  @Override
  void change(Families.Shape shape, FamilyField field, String value) {
    FamilyDefinition changed = definition(shape).with(field, value);
    definitions.put(shape, changed);
    await(store.schema().updateFamily(configured(changed), List.of()));
  }

  @Override
  void restart(Restart how) throws Exception {
    if (how == Restart.STOP) {
      store.close();
    } else {
      store.scheduler().shutDown();
      files.kill();
      boolean losesUnsynced = how == Restart.POWER_CUT && configuration.settings().syncBeforeAck();
      files = losesUnsynced ? files.crashClone() : files;
    }
    store = open();
  }

  /**
   * Time runs up to where it stands in every other target; work that takes some, as waiting for a
   * merge does, has that much of it.
   */
  @Override
  void pass(Duration time) {
    dueNanos += time.toNanos();
    long left = dueNanos - clock.monotonicNanos();
    if (left < 0) {
      throw new IllegalStateException("an operation took longer than the time for it");
    }
    store.scheduler().advance(Duration.ofNanos(left));
  }
}
