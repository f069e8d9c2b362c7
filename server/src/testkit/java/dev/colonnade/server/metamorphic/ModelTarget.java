package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.FamilyOptions;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Sorted maps that keep everything for ever: what all stores must answer like. */
final class ModelTarget extends Target {

  private final Partitioner partitioner;
  private final SimClock clock = new SimClock();
  private final NaiveRowStore rows = new NaiveRowStore(clock);
  private final Map<Families.Shape, ColumnFamily> families = new EnumMap<>(Families.Shape.class);

  ModelTarget(Partitioner partitioner) {
    this.partitioner = partitioner;
    for (Families.Shape shape : Families.Shape.values()) {
      families.put(
          shape,
          new ColumnFamily(
              Families.KEYSPACE,
              shape.name(),
              new FamilyId(1, shape.number()),
              order(shape),
              FamilyOptions.DEFAULT,
              shape.definition(),
              0));
    }
  }

  private static PathOrder order(Families.Shape shape) {
    return switch (shape) {
      case PLAIN -> new PathOrder(ColumnComparators.BYTES, null);
      case NUMBERED -> new PathOrder(ColumnComparators.INTEGER, null);
      case NESTED -> new PathOrder(ColumnComparators.UTF8, ColumnComparators.LONG);
    };
  }

  @Override
  RowStore rows() {
    return rows;
  }

  @Override
  ColumnFamily family(Families.Shape shape) {
    return Objects.requireNonNull(families.get(shape));
  }

  @Override
  RowKey key(int number) {
    try {
      return partitioner.rowKey(Families.key(number));
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
    return future.join();
  }

  @Override
  void flush(Families.Shape shape) {}

  @Override
  void compact(Families.Shape shape) {}

  @Override
  void truncate(Families.Shape shape) {
    rows.truncate(family(shape).id());
  }

  @Override
  void recreate(Families.Shape shape) {
    rows.truncate(family(shape).id());
  }

  @Override
  void change(Families.Shape shape, FamilyField field, String value) {}

  @Override
  void restart(Restart how) {}

  @Override
  void pass(Duration time) {
    clock.advance(time);
  }
}
