package dev.colonnade.client;

import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamSliceRequest;
import java.util.ArrayList;
import java.util.Collections;
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
    EntryReader<C> reader = from.reader();
    return cursor(
        place,
        new ChunkStream.Protocol<>(
            AnswerPart.STREAM_SLICE,
            token -> request.toBuilder().setResumeToken(token).build(),
            AnswerPart::token),
        chunk -> {
          place.options().report(chunk.stats());
          List<C> entries = new ArrayList<>();
          reader.read(chunk, entries);
          return entries;
        },
        () -> {
          List<C> entries = new ArrayList<>();
          reader.end(entries);
          return entries;
        });
  }

  /**
   * Rows of a range.
   *
   * @param keysOnly whether rows come without entries
   * @param reader makes what the cursor returns
   */
  static <K, E, T> AsyncCursor<T> rows(
      AsyncEntries<K, E, ?> from,
      KeyRange<K> keys,
      Slice<E> slice,
      boolean keysOnly,
      RowReader<?, T> reader) {
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
    return cursor(
        place,
        keys.endpoints(),
        new ChunkStream.Protocol<>(
            AnswerPart.STREAM_RANGE_SLICES,
            token -> request.toBuilder().setResumeToken(token).build(),
            AnswerPart::token),
        chunk -> {
          place.options().report(chunk.stats());
          List<T> rows = new ArrayList<>();
          reader.read(chunk, rows);
          return rows;
        },
        () -> {
          List<T> rows = new ArrayList<>();
          reader.end(rows);
          return rows;
        });
  }

  /** The elements of a stream that any node may answer. */
  static <Q, R, T> AsyncCursor<T> cursor(
      ColumnParentRef<?> place,
      ChunkStream.Protocol<Q, R> protocol,
      Function<R, List<T>> decode,
      Supplier<List<T>> rest) {
    return cursor(place, List.of(), protocol, decode, rest);
  }

  /**
   * The elements of a stream.
   *
   * @param endpoints whom to ask first; none if any node will do
   * @param decode the elements of a message, or what is complete of them
   * @param rest what is left at the end
   */
  static <Q, R, T> AsyncCursor<T> cursor(
      ColumnParentRef<?> place,
      List<Endpoint> endpoints,
      ChunkStream.Protocol<Q, R> protocol,
      Function<R, List<T>> decode,
      Supplier<List<T>> rest) {
    ClientContext context = place.context();
    ChunkStream<Q, R> chunks =
        new ChunkStream<>(
            TraceHeader.on(context.transport().channel(endpoints), place.options().traceparent()),
            protocol,
            place.options().deadline(),
            context.resumeAttempts());
    return new AsyncCursor<>(
        () ->
            Transport.<@Nullable R, @Nullable List<T>>map(
                chunks.next(),
                chunk -> {
                  List<T> whole = chunk == null ? rest.get() : decode.apply(chunk);
                  return chunk == null && whole.isEmpty()
                      ? null
                      : Collections.unmodifiableList(whole);
                }),
        chunks::close);
  }
}
