package dev.colonnade.client;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads whose answers come as streams. */
final class Streams {

  private Streams() {}

  static <K, E, C> AsyncCursor<C> slice(AsyncEntries<K, E, C> from, K key, Slice<E> slice) {
    ColumnParentRef<K> place = from.place;
    StreamSliceRequest request =
        StreamSliceRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setKey(place.key(key))
            .setColumnParent(place.parent())
            .setPredicate(slice.predicate(from.names))
            .setOptions(place.options().read())
            .build();
    EntryJoiner joiner = new EntryJoiner();
    return cursor(
        place,
        new ChunkStream.Protocol<>(
            ColumnStoreServiceGrpc.getStreamSliceMethod(),
            token -> request.toBuilder().setResumeToken(token).build(),
            StreamSliceResponse::getResumeToken),
        chunk -> {
          place.options().report(chunk.hasStats(), chunk.getStats());
          return joiner.join(chunk.getColumnsList(), chunk.getSuperColumnContinues());
        },
        joiner::end,
        from::decode);
  }

  /**
   * Rows of a range.
   *
   * @param keysOnly whether rows come without entries
   */
  static <K, E, T> AsyncCursor<T> rows(
      AsyncEntries<K, E, ?> from,
      KeyRange<K> keys,
      Slice<E> slice,
      boolean keysOnly,
      Function<KeySlice, T> decode) {
    ColumnParentRef<K> place = from.place;
    StreamRangeSlicesRequest request =
        StreamRangeSlicesRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setColumnParent(place.parent())
            .setPredicate(slice.predicate(from.names))
            .setRange(keys.message(place.keys()))
            .setKeysOnly(keysOnly)
            .setIncludeEmptyRows(keys.includesEmptyRows())
            .setOptions(place.options().read())
            .build();
    RowJoiner joiner = new RowJoiner();
    return cursor(
        place,
        new ChunkStream.Protocol<>(
            ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
            token -> request.toBuilder().setResumeToken(token).build(),
            StreamRangeSlicesResponse::getResumeToken),
        chunk -> {
          place.options().report(chunk.hasStats(), chunk.getStats());
          return joiner.join(
              chunk.getRowsList(), chunk.getRowContinues(), chunk.getSuperColumnContinues());
        },
        joiner::end,
        decode);
  }

  /**
   * The elements of a stream.
   *
   * @param join the elements of a message, or what is complete of them
   * @param rest what is left at the end
   */
  static <Q, R, M, T> AsyncCursor<T> cursor(
      ColumnParentRef<?> place,
      ChunkStream.Protocol<Q, R> protocol,
      Function<R, List<M>> join,
      Supplier<List<M>> rest,
      Function<M, T> decode) {
    ClientContext context = place.context();
    ChunkStream<Q, R> chunks =
        new ChunkStream<>(
            context.transport().channel(),
            protocol,
            place.options().deadline(),
            context.resumeAttempts());
    return new AsyncCursor<>(
        () ->
            Transport.<@Nullable R, @Nullable List<T>>map(
                chunks.next(),
                chunk -> {
                  List<M> whole = chunk == null ? rest.get() : join.apply(chunk);
                  return chunk == null && whole.isEmpty()
                      ? null
                      : whole.stream().map(decode).toList();
                }),
        chunks::close);
  }
}
