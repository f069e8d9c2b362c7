package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
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
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Writes: Insert, Remove, BatchMutate. A request is checked completely before anything is applied.
 * Thread-safe.
 */
final class WriteCalls {

  /**
   * Fewer mutations are decoded in less time than it takes to notice that their caller has gone.
   */
  private static final int WATCHED_MUTATIONS = 256;

  private final RpcContext rpc;

  WriteCalls(RpcContext rpc) {
    this.rpc = rpc;
  }

  CompletableFuture<InsertResponse> insert(InsertRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
    RowKey key = rules.key("key", request.getKey());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    ColumnFamily family = parent.family();
    if (parent.grouped()) {
      throw RequestRefusal.invalid(
          "column_parent.super_column",
          "the column family " + family.name() + " is Super: a super column is required");
    }
    if (!request.hasColumn()) {
      throw RequestRefusal.invalid("column", "a column is required");
    }
    WriteTime time = rpc.writeTime();
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    try {
      row.add(rpc.mutations().cell(request.getColumn(), family, parent.superColumn(), time));
    } catch (RequestRefusal refusal) {
      throw refusal.within("column");
    }
    long timestamp =
        time.timestampOr(request.getColumn().hasTimestamp(), request.getColumn().getTimestamp());
    Consistency level = rules.writeLevel(keyspace, request.getOptions().getConsistencyLevel());
    return write(keyspace, key, family, row.build(), level, callContext)
        .thenApply(
            asked -> {
              InsertResponse.Builder response = InsertResponse.newBuilder().setTimestamp(timestamp);
              callContext.spent(asked);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return response.build();
            });
  }

  CompletableFuture<RemoveResponse> remove(RemoveRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
    RowKey key = rules.key("key", request.getKey());
    ColumnPath path = request.getColumnPath();
    ColumnFamily family =
        rules.family(keyspace, "column_path.column_family", path.getColumnFamily());
    byte[] superColumn =
        rules.superColumn("column_path", family, path.hasSuperColumn(), path.getSuperColumn());
    WriteTime time = rpc.writeTime();
    long timestamp = time.timestampOr(request.hasTimestamp(), request.getTimestamp());
    RowUpdate.Builder row = RowUpdate.builder(family.order());
    if (path.hasColumn()) {
      if (request.hasPredicate()) {
        throw RequestRefusal.invalid(
            "predicate", "column_path.column names one column already; leave one of them out");
      }
      if (family.isSuper() && superColumn == null) {
        throw RequestRefusal.invalid(
            "column_path.super_column",
            "the column family "
                + family.name()
                + " is Super: a column is named together with its super column");
      }
      byte[] column = rules.name("column_path.column", path.getColumn(), family.order().leafType());
      Mutations.deleteName(family, superColumn, column, row, time.deletion(true, timestamp));
    } else if (request.hasPredicate()) {
      rpc.mutations()
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
    return write(keyspace, key, family, row.build(), level, callContext)
        .thenApply(
            asked -> {
              RemoveResponse.Builder response = RemoveResponse.newBuilder().setTimestamp(timestamp);
              callContext.spent(asked);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
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
      CallContext callContext) {
    List<RowMutation> mutations =
        update.isEmpty()
            ? List.of()
            : List.of(new RowMutation(key, List.of(new RowMutation.FamilyUpdate(family, update))));
    return write(keyspace, mutations, level, callContext.deadlineNanos(), callContext);
  }

  private CompletableFuture<AskedReplicas> write(
      Keyspace keyspace,
      List<RowMutation> mutations,
      Consistency level,
      long deadlineNanos,
      CallContext callContext) {
    return mutations.isEmpty()
        ? CompletableFuture.completedFuture(AskedReplicas.NONE)
        : rpc.store()
            .write(mutations, keyspace.durableWrites(), level, deadlineNanos, callContext.events());
  }

  CompletableFuture<BatchMutateResponse> batch(
      BatchMutateRequest request, CallContext callContext) {
    return checked(request, callContext).write();
  }

  /**
   * A batch that was checked and has its timestamps.
   *
   * @param writing writes it until a deadline; again is the same as once, because the timestamps
   *     stay
   */
  record CheckedBatch(
      LongFunction<CompletableFuture<BatchMutateResponse>> writing, CallContext context) {

    /** Writes it, in the time that one attempt may take. */
    CompletableFuture<BatchMutateResponse> write() {
      return writing.apply(context.stepDeadlineNanos());
    }
  }

  /** Checks a batch, and writes nothing yet. */
  CheckedBatch checked(BatchMutateRequest request, CallContext callContext) {
    Keyspace keyspace = rpc.rules().writableKeyspace(request.getKeyspace());
    WriteTime time =
        request.hasTimestamp()
            ? new WriteTime(request::getTimestamp, rpc.clock().wallSeconds())
            : rpc.writeTime();
    List<RowMutation> mutations = check(request, keyspace, time, callContext);
    Consistency level =
        rpc.rules().writeLevel(keyspace, request.getOptions().getConsistencyLevel());
    return new CheckedBatch(
        deadlineNanos ->
            write(keyspace, mutations, level, deadlineNanos, callContext)
                .thenApply(
                    asked -> {
                      BatchMutateResponse.Builder response = BatchMutateResponse.newBuilder();
                      time.filledIn().ifPresent(response::setTimestamp);
                      callContext.spent(asked);
                      if (request.getOptions().getIncludeStats()) {
                        response.setStats(callContext.stats());
                      }
                      return response.build();
                    }),
        callContext);
  }

  /** The changes of a batch in one family's row. */
  private record FamilyChanges(ColumnFamily family, RowUpdate.Builder row) {}

  /** Checks a batch; all mutations of one key, in any order and number, become one. */
  private List<RowMutation> check(
      BatchMutateRequest request, Keyspace keyspace, WriteTime time, CallContext callContext) {
    boolean isLong = checkSize(request) > WATCHED_MUTATIONS;
    Function<PathOrder, RowUpdate.Builder> begin =
        order -> RowUpdate.builder(isLong ? WatchedComparator.order(order, callContext) : order);
    Map<RowKey, Map<FamilyId, FamilyChanges>> rows = new LinkedHashMap<>();
    for (int i = 0; i < request.getRowsCount(); i++) {
      if (isLong && i % WATCHED_MUTATIONS == 0) {
        callContext.throwIfCancelled();
      }
      try {
        check(request.getRows(i), keyspace, time, rows, begin);
      } catch (RequestRefusal refusal) {
        throw refusal.within("rows[" + i + "]");
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

  private void check(
      dev.colonnade.v1.RowMutation row,
      Keyspace keyspace,
      WriteTime time,
      Map<RowKey, Map<FamilyId, FamilyChanges>> rows,
      Function<PathOrder, RowUpdate.Builder> begin) {
    RowKey key = rpc.rules().key("key", row.getKey());
    ColumnFamily family = rpc.rules().family(keyspace, "column_family", row.getColumnFamily());
    RowUpdate.Builder update =
        rows.computeIfAbsent(key, k -> new LinkedHashMap<>())
            .computeIfAbsent(
                family.id(), id -> new FamilyChanges(family, begin.apply(family.order())))
            .row();
    for (int i = 0; i < row.getMutationsCount(); i++) {
      try {
        rpc.mutations().add(row.getMutations(i), family, update, time);
      } catch (RequestRefusal refusal) {
        throw refusal.within("mutations[" + i + "]");
      }
    }
  }

  /** Returns how many mutations there are; refuses a batch of too many, or of too many rows. */
  private long checkSize(BatchMutateRequest request) {
    RpcSettings.Requests limits = rpc.rules().limits();
    rpc.rules().requireRows(request.getRowsList());
    long count = 0;
    for (dev.colonnade.v1.RowMutation row : request.getRowsList()) {
      for (Mutation mutation : row.getMutationsList()) {
        count += Math.max(1, mutation.getColumnOrSuperColumn().getSuperColumn().getColumnsCount());
        count +=
            Math.max(0, mutation.getDeletion().getPredicate().getColumnNames().getNamesCount() - 1);
      }
    }
    if (count > limits.maxMutations()) {
      throw RequestRefusal.tooLarge("rows", "mutations of one batch", count, limits.maxMutations());
    }
    return count;
  }
}
