package dev.colonnade.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.DescribeClusterRequest;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes hold the row of a call, so that the node that coordinates it is one of them, and the
 * call has a hop less. Known a moment after the first call on a keyspace; until then, and if the
 * ring has changed since, a call goes to another node, which costs it a hop and nothing else.
 * Thread-safe.
 */
final class Replicas {

  /** A keyspace may get another replication factor while the ring stays as it is. */
  static final Duration FRESH = Duration.ofMinutes(1);

  /** After a look that failed, or that named a node which this client does not know yet. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final Duration DEADLINE = Duration.ofSeconds(5);

  /** A client that uses more keyspaces than this sends the calls on the rest to any node. */
  private static final int MAX_KEYSPACES = 1_000;

  /** What is known of a keyspace, and until when it is used without another look. */
  private static final class Known {
    volatile ReplicaMap map = ReplicaMap.NONE;
    final AtomicLong nextLookNanos;

    Known(long nowNanos) {
      nextLookNanos = new AtomicLong(nowNanos);
    }
  }

  private final NodePool pool;
  private final LongSupplier nanoTime;
  private final boolean enabled;
  private final Map<String, Known> keyspaces = new ConcurrentHashMap<>();
  private volatile @Nullable CompletableFuture<String> partitioner;

  /**
   * Nothing is known yet.
   *
   * @param enabled false: it stays like that
   */
  Replicas(NodePool pool, LongSupplier nanoTime, boolean enabled) {
    this.pool = pool;
    this.nanoTime = nanoTime;
    this.enabled = enabled;
  }

  /** The nodes that hold the row of a request; empty if that is not known or does not matter. */
  List<NodeConnection> of(Object request) {
    if (!enabled || !pool.hasChoice()) {
      return List.of();
    }
    if (request instanceof GetSliceRequest read) {
      return of(read.getKeyspace(), read.getKey());
    }
    if (request instanceof BatchMutateRequest write) {
      return write.getRowsCount() == 0
          ? List.of()
          : of(write.getKeyspace(), write.getRows(0).getKey());
    }
    if (request instanceof GetCountRequest read) {
      return of(read.getKeyspace(), read.getKey());
    }
    if (request instanceof SearchTermsRequest search) {
      return of(search.getKeyspace(), search.getUser());
    }
    if (request instanceof SearchInteractionsRequest search) {
      return of(search.getKeyspace(), search.getUser());
    }
    if (request instanceof IndexDocumentRequest write) {
      return of(write.getKeyspace(), write.getUser());
    }
    if (request instanceof DeleteDocumentRequest write) {
      return of(write.getKeyspace(), write.getUser());
    }
    if (request instanceof MultigetSliceRequest read && read.getKeysCount() > 0) {
      return of(read.getKeyspace(), read.getKeys(0));
    }
    if (request instanceof MultigetCountRequest read && read.getKeysCount() > 0) {
      return of(read.getKeyspace(), read.getKeys(0));
    }
    return List.of();
  }

  private List<NodeConnection> of(String keyspace, ByteString key) {
    Known known = keyspaces.get(keyspace);
    if (known == null) {
      if (keyspaces.size() >= MAX_KEYSPACES) {
        return List.of();
      }
      known = keyspaces.computeIfAbsent(keyspace, name -> new Known(nanoTime.getAsLong()));
    }
    long next = known.nextLookNanos.get();
    long now = nanoTime.getAsLong();
    long claimed = now + SOON.toNanos();
    if (now - next >= 0 && known.nextLookNanos.compareAndSet(next, claimed)) {
      look(keyspace, known, claimed);
    }
    return known.map.of(key);
  }

  /** The ring has changed: each keyspace is looked at again with its next call. */
  void ringChanged() {
    long now = nanoTime.getAsLong();
    keyspaces.values().forEach(known -> known.nextLookNanos.set(now));
  }

  /**
   * Looks at the ring.
   *
   * @param claimed the time of the next look that this one has set
   */
  private void look(String keyspace, Known known, long claimed) {
    var unused =
        partitioner()
            .thenCompose(
                name -> {
                  KeyTokens<?> tokens = KeyTokens.of(name);
                  return tokens == null
                      ? CompletableFuture.completedFuture(ReplicaMap.NONE)
                      : call(
                              ClusterServiceGrpc.getDescribeRingMethod(),
                              DescribeRingRequest.newBuilder().setKeyspace(keyspace).build())
                          .thenApply(
                              ring ->
                                  ReplicaMap.of(
                                      tokens,
                                      ring.getRangesList(),
                                      ring.getNodesCount(),
                                      pool::connectionTo));
                })
            // A failure changes nothing: what is known stays, and the next look is soon.
            .thenAccept(
                map -> {
                  Duration next = map.isComplete() ? FRESH : SOON;
                  long again = nanoTime.getAsLong() + next.toNanos();
                  // If the ring has changed meanwhile, another look is due or under way.
                  if (known.nextLookNanos.compareAndSet(claimed, again)) {
                    known.map = map;
                  }
                });
  }

  /** Fixed for the life of a cluster, so asked once. */
  private CompletableFuture<String> partitioner() {
    CompletableFuture<String> asked = partitioner;
    if (asked == null || asked.isCompletedExceptionally()) {
      asked =
          call(
                  ClusterServiceGrpc.getDescribeClusterMethod(),
                  DescribeClusterRequest.getDefaultInstance())
              .thenApply(cluster -> cluster.getPartitioner());
      partitioner = asked;
    }
    return asked;
  }

  private <Q extends MessageLite, R> CompletableFuture<R> call(
      MethodDescriptor<Q, R> method, Q request) {
    return pool.pick(List.of())
        .unary(
            new Transport.Request<>(
                method,
                request,
                Deadline.after(DEADLINE.toNanos(), TimeUnit.NANOSECONDS),
                Applied.NO,
                true))
        .start();
  }
}
