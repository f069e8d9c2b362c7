package dev.colonnade.client;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Writes many batches over one stream, without a round trip for each. A batch is sent when there is
 * room for it: at most 64 may be without an answer, and the transport's buffer bounds the bytes, so
 * that a slow node makes the writer wait instead of filling the heap. Each batch ends by itself, in
 * any order: its future says how. Close it: that waits for the rest.
 *
 * <p>When the connection breaks, the writer continues on another one, to another node if there is
 * one, and sends again what has no answer; each batch keeps its timestamps, so that applying it
 * twice changes nothing. After {@link ClientOptions#resumeAttempts} breaks in a row the writer
 * cannot be used any more, and batches without an answer fail with {@link Applied#UNKNOWN}.
 * Thread-safe; methods wait while the node is silent for at most the deadline of the {@link
 * CallOptions}, and throw {@link ColonnadeException}.
 *
 * <pre>{@code
 * Keyspace blog = client.keyspace("Blog");
 * ColumnFamily<String, Long, String> timeline =
 *     blog.columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
 * try (BulkWriter writer = blog.bulkWriter()) {
 *   for (long i = 0; i < 1_000; i++) {
 *     writer.insert(timeline, "reader" + i, i, "hello");
 *   }
 *   writer.write(blog.batch().insert(timeline, "bob", 1L, "one").insert(timeline, "ann", 2L, "two"));
 * }
 * System.out.println(timeline.get("reader999", 999L)); // prints Optional[hello]
 * System.out.println(timeline.get("ann", 2L)); // prints Optional[two]
 * }</pre>
 */
public final class BulkWriter implements AutoCloseable {

  private final Keyspace keyspace;
  private final BatchStream stream;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

  BulkWriter(Keyspace keyspace, BatchStream stream) {
    this.keyspace = keyspace;
    this.stream = stream;
  }

  /**
   * Sends everything added to a batch so far, once there is room for it. The deadline and the
   * statistics of the batch's own options are ignored.
   *
   * @return how it ended: fails with the exception that {@link Batch#apply} would have thrown.
   *     Cancelling it does not stop the batch
   * @throws ColonnadeException if it was not sent: {@link TimedOutException} when there was no room
   *     for too long, {@link UnavailableException} after the connection broke for good
   * @throws IllegalArgumentException if the batch is for another keyspace
   * @throws IllegalStateException after {@link #close}
   */
  public CompletableFuture<@Nullable Void> write(Batch batch) {
    if (!batch.keyspace().equals(keyspace.name())) {
      throw new IllegalArgumentException(
          "the batch is for " + batch.keyspace() + ", and this writer for " + keyspace.name());
    }
    CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
    var unused =
        stream
            .send(batch.message())
            .whenComplete(
                (done, failure) -> {
                  // Counted first, so that a thread that has waited for the outcome finds it in the
                  // numbers.
                  if (failure == null) {
                    written.incrementAndGet();
                    outcome.complete(null);
                  } else {
                    failed.incrementAndGet();
                    firstFailure.compareAndSet(null, failure);
                    outcome.completeExceptionally(failure);
                  }
                });
    return outcome;
  }

  /** Sends one column as a batch of its own; see {@link #write}. */
  public <K, N, V> CompletableFuture<@Nullable Void> insert(
      Columns<K, N, V> into, K key, N name, V value) {
    return write(keyspace.batch().insert(into, key, name, value));
  }

  /** Sends entries of one row as a batch of their own; see {@link #write}. */
  public <K, E, C> CompletableFuture<@Nullable Void> insertAll(
      Entries<K, E, C> into, K key, Collection<C> entries) {
    return write(keyspace.batch().insertAll(into, key, List.copyOf(entries)));
  }

  /** How many batches have been written so far. */
  public long written() {
    return written.get();
  }

  /** How many batches have failed so far. */
  public long failed() {
    return failed.get();
  }

  /**
   * Waits until every batch has ended.
   *
   * @throws ColonnadeException of the first batch that failed, so that none fails unnoticed; {@link
   *     TimedOutException} if the node stops answering
   */
  @Override
  public void close() {
    stream.finish();
    if (firstFailure.getAndSet(null) instanceof RuntimeException failure) {
      failure.fillInStackTrace();
      throw failure;
    }
  }
}
