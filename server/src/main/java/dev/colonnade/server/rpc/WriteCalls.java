package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.AskedReplicas;
import dev.colonnade.server.coordinator.CallCost;
import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.RowMutation;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.Keyspace;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.InsertResponse;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RemoveResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Writes: Insert, Remove, BatchMutate. A request is checked completely before anything is applied.
 * Thread-safe.
 */
final class WriteCalls {

  private final CallParts parts;

  WriteCalls(CallParts parts) {
    this.parts = parts;
  }

  CompletableFuture<InsertResponse> insert(InsertRequest request) {
    CallScope scope = parts.scope();
    RequestRules rules = parts.rules();
    Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
    RowKey key = rules.key("key", request.getKey());
    Parent parent = Parent.check(rules, keyspace, request.getColumnParent());
    ColumnFamily family = parent.family();
    if (parent.grouped()) {
      throw Refusal.invalid(
          "column_parent.super_column",
          "the column family " + family.name() + " is Super: a super column is required");
    }
    if (!request.hasColumn()) {
      throw Refusal.invalid("column", "a column is required");
    }
    WriteTime time = parts.writeTime();
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    row.add(
        parts.mutations().cell(request.getColumn(), "column", family, parent.superColumn(), time));
    long timestamp =
        time.timestampOr(request.getColumn().hasTimestamp(), request.getColumn().getTimestamp());
    Consistency level = rules.writeLevel(keyspace, request.getOptions().getConsistencyLevel());
    return write(keyspace, key, family, row.build(), level, scope)
        .thenApply(
            asked -> {
              InsertResponse.Builder response = InsertResponse.newBuilder().setTimestamp(timestamp);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(scope.stats(CallCost.of(asked)));
              }
              return response.build();
            });
  }

  CompletableFuture<RemoveResponse> remove(RemoveRequest request) {
    CallScope scope = parts.scope();
    RequestRules rules = parts.rules();
    Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
    RowKey key = rules.key("key", request.getKey());
    ColumnPath path = request.getColumnPath();
    ColumnFamily family =
        rules.family(keyspace, "column_path.column_family", path.getColumnFamily());
    byte[] superColumn =
        rules.superColumn("column_path", family, path.hasSuperColumn(), path.getSuperColumn());
    WriteTime time = parts.writeTime();
    long timestamp = time.timestampOr(request.hasTimestamp(), request.getTimestamp());
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    if (path.hasColumn()) {
      if (request.hasPredicate()) {
        throw Refusal.invalid(
            "predicate", "column_path.column names one column already; leave one of them out");
      }
      if (family.isSuper() && superColumn == null) {
        throw Refusal.invalid(
            "column_path.super_column",
            "the column family "
                + family.name()
                + " is Super: a column is named together with its super column");
      }
      byte[] column = rules.name("column_path.column", path.getColumn(), family.order().leafType());
      Mutations.deleteName(family, superColumn, column, row, time.deletion(true, timestamp));
    } else if (request.hasPredicate()) {
      parts
          .mutations()
          .delete(
              request.getPredicate(),
              "predicate",
              family,
              superColumn,
              row,
              () -> time.deletion(true, timestamp));
    } else {
      Mutations.deleteAll(superColumn, row, time.deletion(true, timestamp));
    }
    Consistency level = rules.writeLevel(keyspace, request.getOptions().getConsistencyLevel());
    return write(keyspace, key, family, row.build(), level, scope)
        .thenApply(
            asked -> {
              RemoveResponse.Builder response = RemoveResponse.newBuilder().setTimestamp(timestamp);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(scope.stats(CallCost.of(asked)));
              }
              return response.build();
            });
  }

  private CompletableFuture<AskedReplicas> write(
      Keyspace keyspace,
      RowKey key,
      ColumnFamily family,
      RowUpdate update,
      Consistency level,
      CallScope scope) {
    List<RowMutation> mutations =
        update.isEmpty()
            ? List.of()
            : List.of(new RowMutation(key, List.of(new RowMutation.FamilyUpdate(family, update))));
    return write(keyspace, mutations, level, scope);
  }

  private CompletableFuture<AskedReplicas> write(
      Keyspace keyspace, List<RowMutation> mutations, Consistency level, CallScope scope) {
    return mutations.isEmpty()
        ? CompletableFuture.completedFuture(AskedReplicas.NONE)
        : parts.store().write(mutations, keyspace.durableWrites(), level, scope.deadlineNanos());
  }

  CompletableFuture<BatchMutateResponse> batch(BatchMutateRequest request) {
    CallScope scope = parts.scope();
    Keyspace keyspace = parts.rules().writableKeyspace(request.getKeyspace());
    WriteTime time = parts.writeTime();
    List<RowMutation> mutations = check(request, keyspace, time);
    Consistency level =
        parts.rules().writeLevel(keyspace, request.getOptions().getConsistencyLevel());
    return write(keyspace, mutations, level, scope)
        .thenApply(
            asked -> {
              BatchMutateResponse.Builder response = BatchMutateResponse.newBuilder();
              time.filledIn().ifPresent(response::setTimestamp);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(scope.stats(CallCost.of(asked)));
              }
              return response.build();
            });
  }

  /** What a batch changes in one family's row. */
  private record FamilyChanges(ColumnFamily family, RowUpdate.Builder row) {}

  /** All mutations of one key, in whatever order and however often they came, become one. */
  private List<RowMutation> check(BatchMutateRequest request, Keyspace keyspace, WriteTime time) {
    RequestRules rules = parts.rules();
    checkSize(request);
    Map<RowKey, Map<FamilyId, FamilyChanges>> rows = new LinkedHashMap<>();
    for (int i = 0; i < request.getRowsCount(); i++) {
      dev.colonnade.v1.RowMutation row = request.getRows(i);
      String field = "rows[" + i + "]";
      RowKey key = rules.key(field + ".key", row.getKey());
      ColumnFamily family = rules.family(keyspace, field + ".column_family", row.getColumnFamily());
      RowUpdate.Builder update =
          rows.computeIfAbsent(key, k -> new LinkedHashMap<>())
              .computeIfAbsent(
                  family.id(), id -> new FamilyChanges(family, RowUpdate.builder(family.order())))
              .row();
      for (int j = 0; j < row.getMutationsCount(); j++) {
        parts
            .mutations()
            .add(row.getMutations(j), field + ".mutations[" + j + "]", family, update, time);
      }
    }
    List<RowMutation> mutations = new ArrayList<>(rows.size());
    rows.forEach(
        (key, families) -> {
          List<RowMutation.FamilyUpdate> updates = new ArrayList<>(families.size());
          for (FamilyChanges changes : families.values()) {
            RowUpdate update = changes.row().build();
            if (!update.isEmpty()) {
              updates.add(new RowMutation.FamilyUpdate(changes.family(), update));
            }
          }
          if (!updates.isEmpty()) {
            mutations.add(new RowMutation(key, updates));
          }
        });
    return mutations;
  }

  private void checkSize(BatchMutateRequest request) {
    RpcSettings.Requests limits = parts.rules().limits();
    parts.rules().requireRows(request.getRowsList());
    long count = 0;
    for (dev.colonnade.v1.RowMutation row : request.getRowsList()) {
      for (Mutation mutation : row.getMutationsList()) {
        count += Math.max(1, mutation.getColumnOrSuperColumn().getSuperColumn().getColumnsCount());
        count +=
            Math.max(0, mutation.getDeletion().getPredicate().getColumnNames().getNamesCount() - 1);
      }
    }
    if (count > limits.maxMutations()) {
      throw Refusal.tooLarge("rows", "mutations of one batch", count, limits.maxMutations());
    }
  }
}
