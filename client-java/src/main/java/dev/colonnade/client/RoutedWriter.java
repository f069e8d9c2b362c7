package dev.colonnade.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Writes many changes of many rows, each to a node that holds its row: collects them into batches
 * by owner, and sends each owner's batches over a stream of its own, as {@link BulkWriter} does.
 * Thereby a batch costs no hop between nodes but those to the other replicas, and all nodes work at
 * once. For jobs that write much in any order; a change is written at the latest when this is
 * closed.
 *
 * <p>When a node fails, its batches go on to another. Each change has the timestamp of when it was
 * added, so that applying it twice changes nothing. Memory is bounded: for each owner one batch
 * that is being collected, of 64 KiB and a change, and 64 without an answer. For one thread at a
 * time; methods wait while a node is silent for at most the deadline of the {@link CallOptions},
 * and throw {@link ColonnadeException}.
 *
 * <pre>{@code
 * ColumnFamily<String, String, String> users =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * try (RoutedWriter writer = client.routedWriter(client.keyspace("Blog"))) {
 *   for (int i = 0; i < 1_000; i++) {
 *     writer.insert(users, "user" + i, Column.of("city", "Oslo"));
 *   }
 * }
 * System.out.println(users.get("user999", "city")); // prints Optional[Oslo]
 * }</pre>
 */
public final class RoutedWriter implements AutoCloseable {

  /** Large enough that a call's own cost does not show, small enough to be one of 64. */
  private static final long BATCH_BYTES = 64 << 10;

  /** A node takes 100,000 changes and 10,000 rows. */
  private static final int BATCH_CHANGES = 2_000;

  private final Keyspace keyspace;
  private final @Nullable TokenBytes tokens;
  private final @Nullable LoadRanges ranges;
  private final Ring ring;
  private final Map<String, Lane> lanes = new HashMap<>();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private long added;
  private boolean closed;

  /** The batches of one owner. */
  private static final class Lane {
    final BatchStream stream;
    Changes changes;

    Lane(BatchStream stream, Changes changes) {
      this.stream = stream;
      this.changes = changes;
    }
  }

  RoutedWriter(Colonnade client, Keyspace keyspace) {
    this.keyspace = keyspace;
    this.ring = client.cluster().ring(keyspace.name());
    client.transport().learn(ring);
    this.tokens = TokenBytes.of(client.cluster().describe().partitioner());
    this.ranges = tokens == null ? null : new LoadRanges(ring, tokens);
  }

  /** Writes one column, or the columns of one super column. */
  public <K, E, C> void insert(Entries<K, E, C> into, K key, C entry) {
    insertAll(into, key, List.of(entry));
  }

  /** Writes columns, or super columns, of one row. */
  public <K, E, C> void insertAll(Entries<K, E, C> into, K key, Collection<C> entries) {
    Lane lane = lane(into, key);
    lane.changes.insert(into.async(), key, entries);
    added += entries.size();
    sendIfFull(lane);
  }

  /** Removes all entries of a row. */
  public <K, E, C> void remove(Entries<K, E, C> from, K key) {
    removeSlice(from, key, null);
  }

  /** Removes one entry. */
  public <K, E, C> void remove(Entries<K, E, C> from, K key, E name) {
    removeSlice(from, key, Slice.named(List.of(name)));
  }

  private <K, E, C> void removeSlice(Entries<K, E, C> from, K key, @Nullable Slice<E> slice) {
    Lane lane = lane(from, key);
    lane.changes.remove(
        from.async(), key, slice == null ? null : slice.predicate(from.async().names));
    added++;
    sendIfFull(lane);
  }

  /** How many changes were added. */
  public long added() {
    return added;
  }

  private <K> Lane lane(Entries<K, ?, ?> entries, K key) {
    if (closed) {
      throw new IllegalStateException("the writer is closed");
    }
    throwFailure();
    ColumnParentRef<K> place = entries.async().place;
    if (!place.keyspace().equals(keyspace.name())) {
      throw new IllegalArgumentException(
          place.family()
              + " is of "
              + place.keyspace()
              + ", and this writer is for "
              + keyspace.name());
    }
    List<Endpoint> owners = owners(place.key(key).toByteArray());
    String first = owners.isEmpty() ? "" : owners.get(0).nodeId();
    return lanes.computeIfAbsent(
        first, id -> new Lane(keyspace.batchStream(owners), keyspace.changes()));
  }

  /** Who holds a row; none if the client cannot tell. */
  private List<Endpoint> owners(byte[] key) {
    if (tokens == null || ranges == null || key.length == 0) {
      return List.of();
    }
    byte[] token = tokens.ofKey().apply(key);
    return token == null ? List.of() : ring.ranges().get(ranges.of(token)).endpoints();
  }

  private void sendIfFull(Lane lane) {
    if (lane.changes.bytes() >= BATCH_BYTES || lane.changes.count() >= BATCH_CHANGES) {
      send(lane);
    }
  }

  private void send(Lane lane) {
    if (lane.changes.count() == 0) {
      return;
    }
    Changes full = lane.changes;
    lane.changes = keyspace.changes();
    var unused =
        lane.stream
            .send(full.message(keyspace.name()))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    firstFailure.compareAndSet(null, failure);
                  }
                });
  }

  private void throwFailure() {
    Throwable failure = firstFailure.getAndSet(null);
    if (failure instanceof RuntimeException unchecked) {
      unchecked.fillInStackTrace();
      throw unchecked;
    }
    if (failure != null) {
      throw new IllegalStateException("a batch was not written", failure);
    }
  }

  /**
   * Sends what is left, and waits until all of it has been written.
   *
   * @throws ColonnadeException of the first batch that failed, so that none fails unnoticed; what
   *     was added may then be written or not
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      lanes.values().forEach(this::send);
    } finally {
      // Each ends its call, whatever becomes of the others.
      for (Lane lane : lanes.values()) {
        try {
          lane.stream.finish();
        } catch (RuntimeException e) {
          firstFailure.compareAndSet(null, e);
        }
      }
    }
    throwFailure();
  }
}
