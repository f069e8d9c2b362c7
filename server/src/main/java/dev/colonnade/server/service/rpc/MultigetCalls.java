package dev.colonnade.server.service.rpc;

import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.server.base.async.BoundedParallel;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.replica.TouchRead;
import dev.colonnade.v1.KeyCount;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.TouchRequest;
import dev.colonnade.v1.TouchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads of several rows by key: MultigetSlice, MultigetCount, Touch. Thread-safe. */
final class MultigetCalls {

  private static final String METHOD = "MultigetSlice";

  /** What every read besides the first may return; a longer row is read when its turn comes. */
  private static final int MIN_SHARE_BYTES = 4 << 10;

  private final RpcContext rpc;

  MultigetCalls(RpcContext rpc) {
    this.rpc = rpc;
  }

  CompletableFuture<EncodedMessage> slice(MultigetSliceRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    ColumnFamily family = parent.family();
    Slice slice = rpc.predicates().slice(request.getPredicate(), family, parent.superColumn());
    List<RowKey> keys = rules.keys(request.getKeysList());
    Consistency level = rules.readLevel(keyspace, request.getOptions().getConsistencyLevel());
    int pageBytes = rules.pageBytes(request.getPageBytes());
    PageTokens.RequestIdentity identity =
        new PageTokens.RequestIdentity(
            METHOD,
            family.id(),
            () -> request.toBuilder().clearOptions().clearPageBytes().clearPageToken().build());
    Start start =
        request.getPageToken().isEmpty()
            ? new Start(0, Optional.empty())
            : PageTokens.parse(
                request.getPageToken(),
                "page_token",
                identity.get(),
                reader ->
                    new Start((int) reader.number(keys.size() - 1L), reader.slice(family.order())));
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.answer(
            pageBytes,
            true,
            maxBytes -> {
              MultigetPage page =
                  new MultigetPage(store, callContext, family, slice, level, keys, start, maxBytes);
              return page.fill(work, rules.limits().concurrentReads()).thenApply(done -> page);
            })
        .thenApply(
            page -> {
              MultigetSliceResponse.Builder response =
                  MultigetSliceResponse.newBuilder()
                      .setRowContinues(page.inside.isPresent())
                      .setSuperColumnContinues(page.superColumnContinues);
              if (page.key < keys.size()) {
                response.setNextPageToken(
                    new PageTokens.Writer(identity.get())
                        .number(page.key)
                        .slice(page.inside)
                        .finish());
              }
              callContext.spent(page.cost);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return EncodedMessage.of(page.finish(), response.build());
            });
  }

  /** The key that a page starts with, and the position in its row. */
  private record Start(int key, Optional<SlicePosition> inside) {}

  /** A page being built; steps run one after the other, so one thread at a time. */
  private static final class MultigetPage implements AnswerWork.Part<MultigetPage> {
    private final RowStore store;
    private final CallContext callContext;
    private final ColumnFamily family;
    private final Slice slice;
    private final Consistency level;
    private final List<RowKey> keys;
    private final int limitBytes;
    private final EncodedRows rows;

    /** The key to read next, and the position in its row. */
    private int key;

    private Optional<SlicePosition> inside;
    private boolean superColumnContinues;
    private boolean full;
    private long bytes;
    private CallCost cost = CallCost.NONE;

    MultigetPage(
        RowStore store,
        CallContext callContext,
        ColumnFamily family,
        Slice slice,
        Consistency level,
        List<RowKey> keys,
        Start start,
        int limitBytes) {
      this.store = store;
      this.callContext = callContext;
      this.family = family;
      this.slice = slice;
      this.level = level;
      this.keys = keys;
      this.key = start.key();
      this.inside = start.inside();
      this.limitBytes = limitBytes;
      this.rows =
          new EncodedRows(MultigetSliceResponse.ROWS_FIELD_NUMBER, slice, family.order().topType());
    }

    CompletableFuture<Void> fill(AnswerWork work, int concurrentReads) {
      return work.repeat(
          () ->
              key >= keys.size()
                  ? CompletableFuture.completedFuture(false)
                  : step(work, concurrentReads));
    }

    @Override
    public boolean isComplete() {
      return key >= keys.size();
    }

    @Override
    public void replaces(MultigetPage other) {
      cost = cost.plus(other.cost);
    }

    @Override
    public long heapBytes() {
      return rows.heapBytes();
    }

    /**
     * Reads the next keys in parallel. The first may fill the page, the others return a share each:
     * memory stays at about two pages, and small rows, the usual case, still arrive at once. A row
     * that is larger than its share is read again as the first one, from its start: a second part
     * of it would be of another moment than the first.
     */
    private CompletableFuture<Boolean> step(AnswerWork work, int concurrentReads) {
      int first = key;
      int count = Math.min(concurrentReads, keys.size() - first);
      int room = (int) Math.max(1, limitBytes - bytes);
      int share = Math.min(room, Math.max(MIN_SHARE_BYTES, room / concurrentReads));
      List<CheckedSliceRequest> queries = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        queries.add(
            new CheckedSliceRequest(
                family,
                keys.get(first + i),
                slice,
                i == 0 ? inside : Optional.empty(),
                i == 0 ? room : share,
                level));
      }
      return work.here(BoundedParallel.all(queries, this::read))
          .thenApply(
              pages -> {
                boolean more = true;
                for (int i = 0; i < pages.size() && more; i++) {
                  more = take(queries.get(i), pages.get(i), i == 0);
                }
                return !full && key < keys.size();
              });
    }

    private CompletableFuture<SlicePage> read(CheckedSliceRequest query) {
      return store.read(
          query.query(
              KeySlice.COLUMNS_FIELD_NUMBER,
              Math.max(1, query.limitBytes() - rowBytes(query.key())),
              callContext.deadlineNanos(),
              callContext::throwIfCancelled));
    }

    private static int rowBytes(RowKey key) {
      return EncodedRows.ROW_BYTES + key.key().length;
    }

    /**
     * Adds a row, or the part of it that fits if the answer would be empty otherwise: clients join
     * the parts, and a row in one part is of one moment.
     *
     * @param first whether the row had all the room that is left
     * @return false if the rows after it must wait
     */
    private boolean take(CheckedSliceRequest query, SlicePage page, boolean first) {
      cost = cost.plus(page.cost());
      int rowBytes = rowBytes(query.key());
      SliceAnswer row =
          query.answer(
              KeySlice.COLUMNS_FIELD_NUMBER,
              page,
              (int) Math.max(1, limitBytes - bytes - rowBytes));
      boolean whole = row.next().isEmpty();
      boolean fits = whole && bytes + rowBytes + row.bytes() <= limitBytes;
      if (!fits && !rows.isEmpty()) {
        full = first || whole;
        return false;
      }
      rows.add(query.key(), row.columns());
      bytes += rowBytes + row.bytes();
      inside = row.next();
      superColumnContinues = row.superColumnContinues();
      full = !whole;
      key += whole ? 1 : 0;
      return whole;
    }

    /** The encoded rows; to be used once. */
    ByteChunks finish() {
      return rows.finish();
    }
  }

  CompletableFuture<MultigetCountResponse> count(
      MultigetCountRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ResolvedColumnParent parent =
        ResolvedColumnParent.check(rules, keyspace, request.getColumnParent());
    Slice slice =
        rpc.predicates().slice(request.getPredicate(), parent.family(), parent.superColumn());
    List<RowKey> keys = rules.keys(request.getKeysList());
    Consistency level = rules.readLevel(keyspace, request.getOptions().getConsistencyLevel());
    return BoundedParallel.map(
            keys,
            rules.limits().concurrentReads(),
            key -> {
              callContext.throwIfCancelled();
              return callContext
                  .rows(rpc.store())
                  .read(
                      SliceRead.count(
                          parent.family(), key, slice, level, callContext.deadlineNanos()));
            })
        .thenApply(
            counts -> {
              MultigetCountResponse.Builder response = MultigetCountResponse.newBuilder();
              CallCost cost = CallCost.NONE;
              for (int i = 0; i < counts.size(); i++) {
                response.addCounts(
                    KeyCount.newBuilder()
                        .setKey(UnsafeByteOperations.unsafeWrap(keys.get(i).key()))
                        .setCount(counts.get(i).counted()));
                cost = cost.plus(counts.get(i).cost());
              }
              callContext.spent(cost);
              if (request.getOptions().getIncludeStats()) {
                response.setStats(callContext.stats());
              }
              return response.build();
            });
  }

  CompletableFuture<TouchResponse> touch(TouchRequest request, CallContext callContext) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(request.getKeyspace());
    ColumnFamily family = rules.family(keyspace, "column_family", request.getColumnFamily());
    List<RowKey> keys = rules.keys(request.getKeysList());
    return rpc.toucher()
        .touch(
            new TouchRead(
                family,
                keys,
                request.getLoadData(),
                callContext.deadlineNanos(),
                callContext.events()))
        .thenApply(loaded -> TouchResponse.newBuilder().setKeysLoaded(loaded).build());
  }
}
