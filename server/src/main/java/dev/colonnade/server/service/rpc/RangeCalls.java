package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads of rows in token order: GetRangeSlices, and the checks that StreamRangeSlices shares with
 * it. Thread-safe.
 */
final class RangeCalls {

  private static final String METHOD = "GetRangeSlices";

  private final RpcContext rpc;

  RangeCalls(RpcContext rpc) {
    this.rpc = rpc;
  }

  CompletableFuture<EncodedMessage> slices(GetRangeSlicesRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    CheckedRangeRequest query =
        check(
            new Fields(
                request.getKeyspace(),
                request.getColumnParent(),
                request.getPredicate(),
                request.hasRange(),
                request.getRange(),
                request.getOptions(),
                request.getKeysOnly(),
                request.getIncludeEmptyRows()),
            rules.pageBytes(request.getPageBytes()));
    PageTokens.RequestIdentity identity =
        new PageTokens.RequestIdentity(
            METHOD,
            query.family().id(),
            () -> request.toBuilder().clearOptions().clearPageBytes().clearPageToken().build());
    Optional<RangePosition> from =
        query.position(request.getPageToken(), "page_token", identity::get, rules);
    return query
        .read(callContext, rpc, from)
        .thenApply(
            answer -> {
              GetRangeSlicesResponse.Builder response =
                  GetRangeSlicesResponse.newBuilder()
                      .setRowContinues(answer.rowContinues())
                      .setSuperColumnContinues(answer.superColumnContinues());
              answer
                  .next()
                  .ifPresent(next -> response.setNextPageToken(query.token(identity.get(), next)));
              callContext.spent(answer.cost());
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return EncodedMessage.of(answer.finish(), response.build());
            });
  }

  /** Checks a stream's request. */
  CheckedRangeRequest check(StreamRangeSlicesRequest request) {
    return check(
        new Fields(
            request.getKeyspace(),
            request.getColumnParent(),
            request.getPredicate(),
            request.hasRange(),
            request.getRange(),
            request.getOptions(),
            request.getKeysOnly(),
            request.getIncludeEmptyRows()),
        rpc.rules().chunkBytes(request.getMaxChunkBytes()));
  }

  /** The fields that both requests have in common. */
  private record Fields(
      String keyspace,
      ColumnParent parent,
      SlicePredicate predicate,
      boolean hasRange,
      KeyRange range,
      ReadOptions options,
      boolean keysOnly,
      boolean includeEmptyRows) {}

  private CheckedRangeRequest check(Fields fields, int limitBytes) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(fields.keyspace());
    ResolvedColumnParent parent = ResolvedColumnParent.check(rules, keyspace, fields.parent());
    ColumnFamily family = parent.family();
    return new CheckedRangeRequest(
        family,
        rpc.keyRanges().ranges(fields.hasRange(), fields.range()),
        rpc.predicates().slice(fields.predicate(), family, parent.superColumn()),
        KeyRanges.rowLimit(fields.range()),
        fields.includeEmptyRows(),
        fields.keysOnly(),
        limitBytes,
        rules.readLevel(keyspace, fields.options().getConsistencyLevel()));
  }
}
