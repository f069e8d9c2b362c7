package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchInteractionsResponse;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.SearchTermsResponse;
import dev.colonnade.search.v1.StreamSearchInteractionsRequest;
import dev.colonnade.search.v1.StreamSearchInteractionsResponse;
import dev.colonnade.search.v1.StreamSearchTermsRequest;
import dev.colonnade.search.v1.StreamSearchTermsResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@link SearchIndex} with futures. Thread-safe. */
public final class AsyncSearchIndex<K, I> {

  /** The most hits of a page. */
  private static final int MAX_PAGE = 1_000;

  private final ColumnParentRef<K> place;
  private final Serializer<I> ids;

  AsyncSearchIndex(ColumnParentRef<K> place, Serializer<I> ids) {
    this.place = place;
    this.ids = ids;
  }

  AsyncSearchIndex<K, I> with(CallOptions other) {
    return new AsyncSearchIndex<>(place.with(other), ids);
  }

  String name() {
    return place.family();
  }

  /** As {@link SearchIndex#index}. */
  public CompletableFuture<Boolean> index(K user, Document<I> document) {
    return indexCall(user, document).start();
  }

  Call<Boolean> indexCall(K user, Document<I> document) {
    IndexDocumentRequest.Builder request =
        IndexDocumentRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setDocumentId(Bytes.of(ids, document.id()))
            .addAllTexts(document.texts())
            .setPayload(ByteString.copyFrom(document.payload()))
            .setTimestamp(timestampMicros())
            .setOptions(place.options().write());
    document.participants().forEach(each -> request.addParticipants(ByteString.copyFrom(each)));
    return place
        .context()
        .transport()
        .prepare(
            new Transport.Request<>(
                    SearchServiceGrpc.getIndexDocumentMethod(),
                    request.build(),
                    place.deadline(),
                    Applied.UNKNOWN,
                    true)
                .traced(place.options().traceparent()))
        .map(
            answer -> {
              place.options().report(answer.hasStats(), answer.getStats());
              return !answer.getSuperseded();
            });
  }

  /** As {@link SearchIndex#delete}. */
  public CompletableFuture<@Nullable Void> delete(K user, I id) {
    return deleteCall(user, id).start();
  }

  Call<@Nullable Void> deleteCall(K user, I id) {
    DeleteDocumentRequest request =
        DeleteDocumentRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setDocumentId(Bytes.of(ids, id))
            .setTimestamp(timestampMicros())
            .setOptions(place.options().write())
            .build();
    return place
        .context()
        .transport()
        .prepare(
            new Transport.Request<>(
                    SearchServiceGrpc.getDeleteDocumentMethod(),
                    request,
                    place.deadline(),
                    Applied.UNKNOWN,
                    true)
                .traced(place.options().traceparent()))
        .<@Nullable Void>map(
            answer -> {
              place.options().report(answer.hasStats(), answer.getStats());
              return null;
            });
  }

  private long timestampMicros() {
    return place.options().timestampMicros().orElseGet(place.context().timestamps()::next);
  }

  /** As {@link SearchIndex#find}. */
  public CompletableFuture<List<Hit<I>>> find(K user, SearchQuery query, int limit) {
    return findCall(user, query, limit).start();
  }

  Call<List<Hit<I>>> findCall(K user, SearchQuery query, int limit) {
    requireSome(limit);
    SearchTermsRequest first =
        SearchTermsRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setQuery(query.message())
            .setOrder(query.order())
            .setPageSize(Math.min(limit, MAX_PAGE))
            .setOptions(place.options().read())
            .build();
    List<Hit<I>> hits = new ArrayList<>();
    Function<SearchTermsResponse, @Nullable SearchTermsRequest> next =
        page -> {
          place.options().report(page.hasStats(), page.getStats());
          hits.addAll(hits(page.getHitsList()));
          return page.getNextPageToken().isEmpty() || hits.size() >= limit
              ? null
              : first.toBuilder()
                  .setPageSize(Math.min(limit - hits.size(), MAX_PAGE))
                  .setPageToken(page.getNextPageToken())
                  .build();
        };
    return place
        .context()
        .transport()
        .pages(place.read(SearchServiceGrpc.getSearchTermsMethod(), first), next, () -> hits);
  }

  /** As {@link SearchIndex#interactions(Object, String, int)}. */
  public CompletableFuture<List<Hit<I>>> interactions(K user, String participant, int limit) {
    return interactionsCall(user, ByteString.copyFromUtf8(participant), limit).start();
  }

  /** As {@link SearchIndex#interactions(Object, byte[], int)}. */
  public CompletableFuture<List<Hit<I>>> interactions(K user, byte[] participant, int limit) {
    return interactionsCall(user, ByteString.copyFrom(participant), limit).start();
  }

  Call<List<Hit<I>>> interactionsCall(K user, ByteString participant, int limit) {
    requireSome(limit);
    SearchInteractionsRequest first =
        SearchInteractionsRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setParticipant(participant)
            .setPageSize(Math.min(limit, MAX_PAGE))
            .setOptions(place.options().read())
            .build();
    List<Hit<I>> hits = new ArrayList<>();
    Function<SearchInteractionsResponse, @Nullable SearchInteractionsRequest> next =
        page -> {
          place.options().report(page.hasStats(), page.getStats());
          hits.addAll(hits(page.getHitsList()));
          return page.getNextPageToken().isEmpty() || hits.size() >= limit
              ? null
              : first.toBuilder()
                  .setPageSize(Math.min(limit - hits.size(), MAX_PAGE))
                  .setPageToken(page.getNextPageToken())
                  .build();
        };
    return place
        .context()
        .transport()
        .pages(
            place.read(SearchServiceGrpc.getSearchInteractionsMethod(), first), next, () -> hits);
  }

  private static void requireSome(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("a limit is at least 1; got " + limit);
    }
  }

  /** As {@link SearchIndex#stream}. */
  public AsyncCursor<Hit<I>> stream(K user, SearchQuery query) {
    StreamSearchTermsRequest request =
        StreamSearchTermsRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setQuery(query.message())
            .setOrder(query.order())
            .setOptions(place.options().read())
            .build();
    return Streams.cursor(
        place,
        new ChunkStream.Protocol<>(
            SearchServiceGrpc.getStreamSearchTermsMethod(),
            token -> request.toBuilder().setResumeToken(token).build(),
            StreamSearchTermsResponse::getResumeToken),
        chunk -> {
          place.options().report(chunk.hasStats(), chunk.getStats());
          return hits(chunk.getHitsList());
        },
        List::of);
  }

  /** As {@link SearchIndex#streamInteractions(Object, String)}. */
  public AsyncCursor<Hit<I>> streamInteractions(K user, String participant) {
    return streamInteractions(user, ByteString.copyFromUtf8(participant));
  }

  /** As {@link SearchIndex#streamInteractions(Object, byte[])}. */
  public AsyncCursor<Hit<I>> streamInteractions(K user, byte[] participant) {
    return streamInteractions(user, ByteString.copyFrom(participant));
  }

  private AsyncCursor<Hit<I>> streamInteractions(K user, ByteString participant) {
    StreamSearchInteractionsRequest request =
        StreamSearchInteractionsRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setIndex(place.family())
            .setUser(place.key(user))
            .setParticipant(participant)
            .setOptions(place.options().read())
            .build();
    return Streams.cursor(
        place,
        new ChunkStream.Protocol<>(
            SearchServiceGrpc.getStreamSearchInteractionsMethod(),
            token -> request.toBuilder().setResumeToken(token).build(),
            StreamSearchInteractionsResponse::getResumeToken),
        chunk -> {
          place.options().report(chunk.hasStats(), chunk.getStats());
          return hits(chunk.getHitsList());
        },
        List::of);
  }

  private List<Hit<I>> hits(List<dev.colonnade.search.v1.Hit> messages) {
    return messages.stream().map(this::hit).toList();
  }

  private Hit<I> hit(dev.colonnade.search.v1.Hit message) {
    return new Hit<>(
        Bytes.read(ids, message.getDocumentId()),
        message.getPayload().toByteArray(),
        message.getTimestamp(),
        message.getScore());
  }
}
