package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.search.v1.Hit;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchInteractionsResponse;
import dev.colonnade.search.v1.SearchOrder;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.SearchTermsResponse;
import dev.colonnade.search.v1.StreamSearchInteractionsRequest;
import dev.colonnade.search.v1.StreamSearchInteractionsResponse;
import dev.colonnade.search.v1.StreamSearchTermsRequest;
import dev.colonnade.search.v1.StreamSearchTermsResponse;
import dev.colonnade.search.v1.TermQuery;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.search.Match;
import dev.colonnade.server.service.search.SearchEngine;
import dev.colonnade.server.service.search.SearchPosition;
import dev.colonnade.server.service.search.SearchSettings;
import dev.colonnade.server.service.search.SearchText;
import dev.colonnade.server.service.search.TermSearch;
import dev.colonnade.server.service.search.UserRow;
import dev.colonnade.v1.ReadOptions;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Searches as pages and as streams. Thread-safe. */
final class SearchPages {

  private final RpcContext rpc;
  private final SearchEngine engine;
  private final SearchSettings limits;

  SearchPages(RpcContext rpc, SearchEngine engine, SearchSettings limits) {
    this.rpc = rpc;
    this.engine = engine;
    this.limits = limits;
  }

  /** The index that a request names. */
  ColumnFamily index(Keyspace keyspace, String name) {
    ColumnFamily family = rpc.rules().family(keyspace, "index", name);
    if (family.analyzer().isEmpty()) {
      throw RequestRefusal.invalid(
          "index",
          "the column family " + family.name() + " is no search index; CreateIndex makes one");
    }
    return family;
  }

  /** A checked search, of which pages can be read. */
  private record Search(
      Keyspace keyspace,
      ColumnFamily index,
      RowKey user,
      Consistency level,
      boolean includeStats,
      boolean bestFirst,
      int hits,
      long identity,
      Query query) {}

  /** Prepares the search of one page. */
  @FunctionalInterface
  private interface Query {
    CompletableFuture<TermSearch> page(UserRow row, TermSearch.PageSpec page);
  }

  CompletableFuture<SearchTermsResponse> terms(SearchTermsRequest request, CallContext call) {
    Search search =
        search(
            request.getKeyspace(),
            request.getIndex(),
            request.getUser(),
            request.getOptions(),
            request.getOrder(),
            hits("page_size", request.getPageSize(), limits.defaultPageHits()),
            "SearchTerms",
            request.toBuilder().clearOptions().clearPageSize().clearPageToken().build(),
            words(request.getQuery()));
    return page(search, position("page_token", request.getPageToken(), search), call, false)
        .thenApply(
            found -> {
              SearchTermsResponse.Builder response =
                  SearchTermsResponse.newBuilder()
                      .addAllHits(messages(found))
                      .setNextPageToken(nextToken(search, found));
              if (search.includeStats()) {
                call.spent(found.row().cost());
                response.setStats(call.stats());
              }
              return response.build();
            });
  }

  CompletableFuture<SearchInteractionsResponse> interactions(
      SearchInteractionsRequest request, CallContext call) {
    Search search =
        search(
            request.getKeyspace(),
            request.getIndex(),
            request.getUser(),
            request.getOptions(),
            SearchOrder.SEARCH_ORDER_NEWEST_FIRST,
            hits("page_size", request.getPageSize(), limits.defaultPageHits()),
            "SearchInteractions",
            request.toBuilder().clearOptions().clearPageSize().clearPageToken().build(),
            participant(request.getParticipant()));
    return page(search, position("page_token", request.getPageToken(), search), call, false)
        .thenApply(
            found -> {
              SearchInteractionsResponse.Builder response =
                  SearchInteractionsResponse.newBuilder()
                      .addAllHits(messages(found))
                      .setNextPageToken(nextToken(search, found));
              if (search.includeStats()) {
                call.spent(found.row().cost());
                response.setStats(call.stats());
              }
              return response.build();
            });
  }

  void streamTerms(
      StreamSearchTermsRequest request, ServerCallStreamObserver<StreamSearchTermsResponse> call) {
    Search search =
        search(
            request.getKeyspace(),
            request.getIndex(),
            request.getUser(),
            request.getOptions(),
            request.getOrder(),
            hits("chunk_size", request.getChunkSize(), limits.defaultChunkHits()),
            "StreamSearchTerms",
            request.toBuilder().clearOptions().clearChunkSize().clearResumeToken().build(),
            words(request.getQuery()));
    CallContext callContext = rpc.scope();
    Chunks<StreamSearchTermsResponse> chunks =
        new Chunks<>(
            search,
            request.getResumeToken(),
            callContext,
            (hits, end) -> {
              StreamSearchTermsResponse.Builder message =
                  StreamSearchTermsResponse.newBuilder()
                      .addAllHits(hits)
                      .setResumeToken(end.token());
              if (end.cost() != null) {
                callContext.spent(end.cost());
                message.setStats(callContext.stats());
              }
              return message.build();
            });
    ChunkStream.start(call, chunks::next, rpc);
  }

  void streamInteractions(
      StreamSearchInteractionsRequest request,
      ServerCallStreamObserver<StreamSearchInteractionsResponse> call) {
    Search search =
        search(
            request.getKeyspace(),
            request.getIndex(),
            request.getUser(),
            request.getOptions(),
            SearchOrder.SEARCH_ORDER_NEWEST_FIRST,
            hits("chunk_size", request.getChunkSize(), limits.defaultChunkHits()),
            "StreamSearchInteractions",
            request.toBuilder().clearOptions().clearChunkSize().clearResumeToken().build(),
            participant(request.getParticipant()));
    CallContext callContext = rpc.scope();
    Chunks<StreamSearchInteractionsResponse> chunks =
        new Chunks<>(
            search,
            request.getResumeToken(),
            callContext,
            (hits, end) -> {
              StreamSearchInteractionsResponse.Builder message =
                  StreamSearchInteractionsResponse.newBuilder()
                      .addAllHits(hits)
                      .setResumeToken(end.token());
              if (end.cost() != null) {
                callContext.spent(end.cost());
                message.setStats(callContext.stats());
              }
              return message.build();
            });
    ChunkStream.start(call, chunks::next, rpc);
  }

  private Search search(
      String keyspaceName,
      String indexName,
      ByteString user,
      ReadOptions options,
      SearchOrder order,
      int hits,
      String method,
      MessageLite request,
      Query query) {
    RequestRules rules = rpc.rules();
    Keyspace keyspace = rules.keyspace(keyspaceName);
    ColumnFamily index = index(keyspace, indexName);
    if (order == SearchOrder.UNRECOGNIZED) {
      throw RequestRefusal.invalid("order", "this server knows no such order");
    }
    return new Search(
        keyspace,
        index,
        rules.key("user", user),
        rules.readLevel(keyspace, options.getConsistencyLevel()),
        options.getIncludeStats(),
        order == SearchOrder.SEARCH_ORDER_BEST_FIRST,
        hits,
        PageTokens.identity(method, index.id(), request),
        query);
  }

  private Query words(TermQuery query) {
    SearchText text =
        new SearchText(
            query.getAllOf(),
            query.getAnyOf(),
            query.getPhrase(),
            query.getPrefix(),
            query.getParticipantsList().stream().map(ByteString::toByteArray).toList());
    return (row, page) -> engine.terms(row, text, page);
  }

  private Query participant(ByteString participant) {
    byte[] bytes = participant.toByteArray();
    return (row, page) -> CompletableFuture.completedFuture(engine.interactions(row, bytes, page));
  }

  private int hits(String field, int asked, int absent) {
    if (asked < 0 || asked > limits.maxPageHits()) {
      throw RequestRefusal.invalid(
          field,
          "must be 1 to "
              + limits.maxPageHits()
              + ", or 0 for the default of "
              + absent
              + "; it is "
              + asked);
    }
    return asked == 0 ? absent : asked;
  }

  private static Optional<SearchPosition> position(String field, String token, Search search) {
    return token.isEmpty()
        ? Optional.empty()
        : Optional.of(
            PageTokens.parse(
                token,
                field,
                search.identity(),
                in -> {
                  float score = Float.intBitsToFloat((int) in.number(Integer.MAX_VALUE));
                  byte[] id = in.bytes();
                  try {
                    search.index().order().leafType().validate(id);
                  } catch (InvalidNameException notAnId) {
                    throw PageTokens.damaged(field);
                  }
                  return new SearchPosition(id, score);
                }));
  }

  private static String token(Search search, SearchPosition position) {
    return new PageTokens.Writer(search.identity())
        .number(Float.floatToIntBits(position.score()))
        .bytes(position.id())
        .finish();
  }

  private static String nextToken(Search search, TermSearch found) {
    return found.next().map(next -> token(search, next)).orElse("");
  }

  /** Reads a page; the reads of a stream's chunk may take as long as one call. */
  private CompletableFuture<TermSearch> page(
      Search search, Optional<SearchPosition> after, CallContext call, boolean chunk) {
    LongSupplier deadline = chunk ? call::stepDeadlineNanos : call::deadlineNanos;
    UserRow row =
        new UserRow(
            call.rows(rpc.store()), search.index(), search.user(), search.level(), deadline);
    AnswerWork work = AnswerWork.of(rpc, call);
    return search
        .query()
        .page(
            row,
            new TermSearch.PageSpec(
                search.bestFirst(), search.hits(), after, rpc.clock().wallSeconds()))
        .thenCompose(found -> work.repeat(() -> work.here(found.step())).thenApply(done -> found))
        .thenApply(
            found -> {
              engine.clear(
                  found, rpc.store(), search.keyspace().durableWrites(), call.stepDeadlineNanos());
              hold(call, found);
              return found;
            });
  }

  /** Accounts for a page that is more than what every call may take. */
  private static void hold(CallContext call, TermSearch found) {
    long bytes = 0;
    for (Match match : found.hits()) {
      bytes += 2L * (match.id().length + match.payload().length) + 128;
    }
    if (bytes > CallMemory.BASE_HEAP_BYTES / 2 && !call.memory().correctAnswer(bytes)) {
      throw new CoordinationException.Overloaded("the memory for answers");
    }
  }

  private static List<Hit> messages(TermSearch found) {
    return found.hits().stream()
        .map(
            match ->
                Hit.newBuilder()
                    .setDocumentId(UnsafeByteOperations.unsafeWrap(match.id()))
                    .setPayload(UnsafeByteOperations.unsafeWrap(match.payload()))
                    .setTimestamp(match.timestamp())
                    .setScore(match.score())
                    .build())
        .toList();
  }

  /**
   * How a chunk ends.
   *
   * @param token resumes behind it
   * @param cost of the whole stream; null if it is not to be said with this chunk
   */
  private record ChunkEnd(String token, @Nullable CallCost cost) {}

  /** The chunks of one stream; steps run one after the other, so one thread at a time. */
  private final class Chunks<T> {
    private final Search search;
    private final CallContext call;
    private final BiFunction<List<Hit>, ChunkEnd, T> message;
    private Optional<SearchPosition> after;
    private String token;
    private CallCost cost = CallCost.NONE;

    Chunks(
        Search search, String token, CallContext call, BiFunction<List<Hit>, ChunkEnd, T> message) {
      this.search = search;
      this.call = call;
      this.message = message;
      this.token = token;
      this.after = position("resume_token", token, search);
    }

    CompletableFuture<ChunkStream.NextChunk<T>> next() {
      return page(search, after, call, true).thenApply(this::chunk);
    }

    private ChunkStream.NextChunk<T> chunk(TermSearch found) {
      cost = cost.plus(found.row().cost());
      boolean last = found.next().isEmpty();
      List<Hit> hits = messages(found);
      if (found.next().isPresent()) {
        after = found.next();
      } else if (!hits.isEmpty()) {
        Match end = found.hits().get(hits.size() - 1);
        after = Optional.of(new SearchPosition(end.id(), search.bestFirst() ? end.score() : 0));
      }
      token = after.map(position -> token(search, position)).orElse(token);
      boolean withStats = last && search.includeStats();
      return hits.isEmpty() && !withStats
          ? new ChunkStream.NextChunk<>(null, last)
          : new ChunkStream.NextChunk<>(
              message.apply(hits, new ChunkEnd(token, withStats ? cost : null)), last);
    }
  }
}
