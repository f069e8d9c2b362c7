package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads as streams: StreamSlice and StreamRangeSlices. Thread-safe. */
final class StreamReadCalls {

  private final RpcContext rpc;
  private final RangeCalls ranges;

  StreamReadCalls(RpcContext rpc, RangeCalls ranges) {
    this.rpc = rpc;
    this.ranges = ranges;
  }

  void slice(StreamSliceRequest request, ServerCallStreamObserver<EncodedMessage> call) {
    CallContext callContext = rpc.scope();
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    ColumnFamily family = parent.family();
    long identity =
        PageTokens.identity(
            "StreamSlice",
            family.id(),
            request.toBuilder().clearOptions().clearMaxChunkBytes().clearResumeToken().build());
    String token = request.getResumeToken();
    CheckedSliceRequest query =
        new CheckedSliceRequest(
            family,
            rules.key("key", request.getKey()),
            rpc.predicates().slice(request.getPredicate(), family, parent.superColumn()),
            token.isEmpty()
                ? Optional.empty()
                : Optional.of(PageTokens.toSlice(token, "resume_token", identity, family.order())),
            rules.chunkBytes(request.getMaxChunkBytes()),
            rules.readLevel(keyspace, request.getOptions().getConsistencyLevel()));
    SlicePageSource source =
        new SlicePageSource(
            rpc, callContext, query, identity, token, request.getOptions().getIncludeStats());
    ChunkStream.start(call, source::next, rpc);
  }

  /** The chunks of one StreamSlice; steps run one after the other, so one thread at a time. */
  private static final class SlicePageSource {
    private final RpcContext rpc;
    private final CallContext callContext;
    private final CheckedSliceRequest query;
    private final long identity;
    private final boolean includeStats;
    private Optional<SlicePosition> from;
    private String token;
    private CallCost cost = CallCost.NONE;

    SlicePageSource(
        RpcContext rpc,
        CallContext callContext,
        CheckedSliceRequest query,
        long identity,
        String token,
        boolean includeStats) {
      this.rpc = rpc;
      this.callContext = callContext;
      this.query = query;
      this.identity = identity;
      this.token = token;
      this.includeStats = includeStats;
      this.from = query.from();
    }

    CompletableFuture<ChunkStream.NextChunk<EncodedMessage>> next() {
      return query.from(from).readChunk(callContext, rpc).thenApply(this::chunk);
    }

    private ChunkStream.NextChunk<EncodedMessage> chunk(SliceAnswer answer) {
      cost = cost.plus(answer.cost());
      boolean last = answer.next().isEmpty();
      Optional<SlicePosition> position = answer.position();
      if (position.isPresent()) {
        token = PageTokens.ofSlice(identity, position.get());
      }
      from = position;
      if (answer.isEmpty() && !(last && includeStats)) {
        return new ChunkStream.NextChunk<>(null, last);
      }
      StreamSliceResponse.Builder message =
          StreamSliceResponse.newBuilder()
              .setSuperColumnContinues(answer.superColumnContinues())
              .setResumeToken(token);
      if (last && includeStats) {
        callContext.spent(cost);
        message.setStats(callContext.stats());
      }
      return new ChunkStream.NextChunk<>(EncodedMessage.of(answer.finish(), message.build()), last);
    }
  }

  void ranges(StreamRangeSlicesRequest request, ServerCallStreamObserver<EncodedMessage> call) {
    CallContext callContext = rpc.scope();
    CheckedRangeRequest query = ranges.check(request);
    long identity =
        PageTokens.identity(
            "StreamRangeSlices",
            query.family().id(),
            request.toBuilder().clearOptions().clearMaxChunkBytes().clearResumeToken().build());
    RangePageSource source =
        new RangePageSource(
            rpc,
            callContext,
            query,
            identity,
            request.getResumeToken(),
            query.position(request.getResumeToken(), "resume_token", () -> identity, rpc.rules()),
            request.getOptions().getIncludeStats());
    ChunkStream.start(call, source::next, rpc);
  }

  /**
   * The chunks of one StreamRangeSlices; steps run one after the other, so one thread at a time.
   */
  private static final class RangePageSource {
    private final RpcContext rpc;
    private final CallContext callContext;
    private final CheckedRangeRequest query;
    private final long identity;
    private final boolean includeStats;
    private Optional<RangePosition> from;
    private String token;
    private CallCost cost = CallCost.NONE;

    RangePageSource(
        RpcContext rpc,
        CallContext callContext,
        CheckedRangeRequest query,
        long identity,
        String token,
        Optional<RangePosition> from,
        boolean includeStats) {
      this.rpc = rpc;
      this.callContext = callContext;
      this.query = query;
      this.identity = identity;
      this.token = token;
      this.from = from;
      this.includeStats = includeStats;
    }

    CompletableFuture<ChunkStream.NextChunk<EncodedMessage>> next() {
      return query.readChunk(callContext, rpc, from).thenApply(this::chunk);
    }

    private ChunkStream.NextChunk<EncodedMessage> chunk(RangeAnswer answer) {
      cost = cost.plus(answer.cost());
      boolean last = answer.next().isEmpty();
      boolean empty = answer.isEmpty();
      Optional<RangePosition> position = answer.position();
      if (position.isPresent()) {
        token = query.token(identity, position.get());
      }
      from = position;
      if (empty && !(last && includeStats)) {
        return new ChunkStream.NextChunk<>(null, last);
      }
      StreamRangeSlicesResponse.Builder message =
          StreamRangeSlicesResponse.newBuilder()
              .setRowContinues(answer.rowContinues())
              .setSuperColumnContinues(answer.superColumnContinues())
              .setResumeToken(token);
      if (last && includeStats) {
        callContext.spent(cost);
        message.setStats(callContext.stats());
      }
      return new ChunkStream.NextChunk<>(EncodedMessage.of(answer.finish(), message.build()), last);
    }
  }
}
