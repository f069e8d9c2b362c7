package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads of one row: Get, GetSlice, GetCount. Thread-safe. */
final class SliceCalls {

  private static final String METHOD = "GetSlice";

  private final RpcContext rpc;

  SliceCalls(RpcContext rpc) {
    this.rpc = rpc;
  }

  CompletableFuture<EncodedMessage> get(GetRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ColumnPath path = request.getColumnPath();
    ColumnFamily family =
        rules.family(keyspace, "column_path.column_family", path.getColumnFamily());
    byte[] superColumn =
        rules.superColumn("column_path", family, path.hasSuperColumn(), path.getSuperColumn());
    if (family.isSuper() && superColumn == null) {
      throw RequestRefusal.invalid(
          "column_path.super_column",
          "the column family " + family.name() + " is Super: a super column is required");
    }
    Slice slice;
    if (path.hasColumn()) {
      byte[] column = rules.name("column_path.column", path.getColumn(), family.order().leafType());
      slice = new Slice(List.of(Predicates.only(superColumn, column)), false, false, 1);
    } else if (superColumn != null) {
      slice = new Slice(List.of(Predicates.all(superColumn)), false, true, 1);
    } else {
      throw RequestRefusal.invalid("column_path.column", "a column is required");
    }
    RowKey key = rules.key("key", request.getKey());
    Consistency level = rules.readLevel(keyspace, request.getOptions().getConsistencyLevel());
    CheckedSliceRequest query =
        new CheckedSliceRequest(family, key, slice, Optional.empty(), rules.maxPageBytes(), level);
    return query
        .read(callContext, rpc, false)
        .thenApply(answer -> response(request, callContext, answer));
  }

  private EncodedMessage response(GetRequest request, CallContext callContext, SliceAnswer answer) {
    callContext.spent(answer.cost());
    if (answer.isEmpty()) {
      throw RequestRefusal.columnNotFound();
    }
    if (answer.superColumnContinues()) {
      throw RequestRefusal.precondition(
          ErrorReasons.RESPONSE_TOO_LARGE,
          "column_path.super_column",
          "the super column, deletions in it included, is larger than one answer of "
              + rpc.rules().maxPageBytes()
              + " bytes; read it with GetSlice, page by page, or with StreamSlice",
          Map.of("limit", Integer.toString(rpc.rules().maxPageBytes())));
    }
    // The answer has one column or super column, in a field of the same number.
    GetResponse.Builder response = GetResponse.newBuilder();
    if (request.getOptions().getIncludeStats()) {
      response.setStats(callContext.stats());
    }
    return EncodedMessage.of(answer.finish(), response.build());
  }

  CompletableFuture<EncodedMessage> slice(GetSliceRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    ColumnFamily family = parent.family();
    Slice slice = rpc.predicates().slice(request.getPredicate(), family, parent.superColumn());
    RowKey key = rules.key("key", request.getKey());
    Consistency level = rules.readLevel(keyspace, request.getOptions().getConsistencyLevel());
    int pageBytes = rules.pageBytes(request.getPageBytes());
    String token = request.getPageToken();
    PageTokens.RequestIdentity identity =
        new PageTokens.RequestIdentity(
            METHOD,
            family.id(),
            () -> request.toBuilder().clearOptions().clearPageBytes().clearPageToken().build());
    Optional<SlicePosition> from =
        token.isEmpty()
            ? Optional.empty()
            : Optional.of(PageTokens.toSlice(token, "page_token", identity.get(), family.order()));
    return new CheckedSliceRequest(family, key, slice, from, pageBytes, level)
        .read(callContext, rpc, true)
        .thenApply(
            answer -> {
              GetSliceResponse.Builder response =
                  GetSliceResponse.newBuilder()
                      .setSuperColumnContinues(answer.superColumnContinues());
              answer
                  .next()
                  .ifPresent(
                      next -> response.setNextPageToken(PageTokens.ofSlice(identity.get(), next)));
              callContext.spent(answer.cost());
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return EncodedMessage.of(answer.finish(), response.build());
            });
  }

  CompletableFuture<GetCountResponse> count(GetCountRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    Slice slice =
        rpc.predicates().slice(request.getPredicate(), parent.family(), parent.superColumn());
    RowKey key = rules.key("key", request.getKey());
    Consistency level = rules.readLevel(keyspace, request.getOptions().getConsistencyLevel());
    return callContext
        .rows(rpc.store())
        .read(SliceRead.count(parent.family(), key, slice, level, callContext.deadlineNanos()))
        .thenApply(
            answer -> {
              GetCountResponse.Builder response =
                  GetCountResponse.newBuilder().setCount(answer.counted());
              callContext.spent(answer.cost());
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return response.build();
            });
  }
}
