package dev.colonnade.server.sim.cluster;

import com.google.protobuf.ByteString;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Version;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.World;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.WriteOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A program that keeps registers and sets, through the contract: a register is a column in a row of
 * its own, a set a row with a column for each element.
 */
final class StoreClient implements Registers<CoreNode> {

  /**
   * Where something is kept.
   *
   * @param twin a second family that each change changes as well; empty for none
   * @param elementBytes how long the value of an element of a set is
   */
  record Place(
      String keyspace, String family, String twin, ConsistencyLevel level, int elementBytes) {

    static Place of(String keyspace, String family) {
      return new Place(keyspace, family, "", ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM, 0);
    }

    Place withTwin(String other) {
      return new Place(keyspace, family, other, level, elementBytes);
    }

    Place withElementBytes(int bytes) {
      return new Place(keyspace, family, twin, level, bytes);
    }

    Place at(ConsistencyLevel other) {
      return new Place(keyspace, family, twin, other, elementBytes);
    }
  }

  private final NodeClient client;
  private final Manners manners;
  private final Place place;
  private final Map<String, Long> seen;

  /** A program with its own connections; what it meets is counted in {@code seen}. */
  StoreClient(
      World<CoreNode> world, String name, Place place, Manners manners, Map<String, Long> seen) {
    this.client = new NodeClient(world, name, NodeClient.USER, manners, seen);
    this.manners = manners;
    this.place = place;
    this.seen = seen;
  }

  @Override
  public CompletableFuture<Void> write(Machine<CoreNode> machine, String key, Version version) {
    String value = version.value();
    if (value != null && manners.isLarge(value)) {
      seen.merge("large value written", 1L, Long::sum);
    }
    return change(
        machine,
        key,
        version.timestamp(),
        value == null
            ? removal(CoreRegisters.COLUMN_NAME)
            : column(CoreRegisters.COLUMN_NAME, bytes(manners.stored(value)), 0));
  }

  @Override
  public CompletableFuture<Optional<Version>> read(Machine<CoreNode> machine, String key) {
    return row(machine, key)
        .thenApply(
            columns ->
                columns.stream()
                    .findFirst()
                    .map(
                        column ->
                            new Version(
                                column.getTimestamp(),
                                manners.shown(column.getValue().toStringUtf8()))));
  }

  @Override
  public Outcome outcome(Throwable failure) {
    return NodeClient.outcome(failure);
  }

  /** Adds an element to a set; after {@code ttlSeconds} it is gone, unless they are 0. */
  CompletableFuture<Void> add(
      Machine<CoreNode> machine, String set, String element, long timestamp, int ttlSeconds) {
    byte[] value = new byte[place.elementBytes()];
    java.util.Arrays.fill(value, (byte) element.hashCode());
    return change(machine, set, timestamp, column(element, ByteString.copyFrom(value), ttlSeconds));
  }

  CompletableFuture<Void> remove(
      Machine<CoreNode> machine, String set, String element, long timestamp) {
    return change(machine, set, timestamp, removal(element));
  }

  /** All elements of a set. */
  CompletableFuture<List<String>> elements(Machine<CoreNode> machine, String set) {
    return row(machine, set)
        .thenApply(columns -> columns.stream().map(c -> c.getName().toStringUtf8()).toList());
  }

  private CompletableFuture<Void> change(
      Machine<CoreNode> machine, String row, long timestamp, Mutation mutation) {
    BatchMutateRequest.Builder batch =
        BatchMutateRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setTimestamp(timestamp)
            .setOptions(WriteOptions.newBuilder().setConsistencyLevel(place.level()))
            .addRows(
                RowMutation.newBuilder()
                    .setKey(bytes(row))
                    .setColumnFamily(place.family())
                    .addMutations(mutation));
    if (!place.twin().isEmpty()) {
      batch.addRows(batch.getRows(0).toBuilder().setColumnFamily(place.twin()));
    }
    return client.write(machine, batch.build());
  }

  private CompletableFuture<List<Column>> row(Machine<CoreNode> machine, String row) {
    return client
        .read(
            machine,
            GetSliceRequest.newBuilder()
                .setKeyspace(place.keyspace())
                .setKey(bytes(row))
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(place.family()))
                .setPredicate(
                    SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
                .setOptions(ReadOptions.newBuilder().setConsistencyLevel(place.level()))
                .build())
        .thenApply(all -> all.stream().map(ColumnOrSuperColumn::getColumn).toList());
  }

  static Mutation column(String name, ByteString value, int ttlSeconds) {
    Column.Builder column = Column.newBuilder().setName(bytes(name)).setValue(value);
    if (ttlSeconds > 0) {
      column.setTtlSeconds(ttlSeconds);
    }
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column))
        .build();
  }

  static Mutation removal(String name) {
    return Mutation.newBuilder()
        .setDeletion(
            Deletion.newBuilder()
                .setPredicate(
                    SlicePredicate.newBuilder()
                        .setColumnNames(ColumnNames.newBuilder().addNames(bytes(name)))))
        .build();
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }
}
