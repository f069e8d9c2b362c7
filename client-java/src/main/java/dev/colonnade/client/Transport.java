package dev.colonnade.client;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls with one answer, or with pages of it. They fail with {@link ColonnadeException}, and
 * cancelling their futures ends them. Calls on data are made again on another node where that is
 * harmless and of use ({@link Retries}). Thread-safe.
 */
final class Transport {

  private final NodePool pool;
  private final Retries retries;
  private final SpeculativeReads speculation;
  private final RingWatcher watcher;
  private final Executor executor;
  private final Channel channel = new PoolChannel();

  /**
   * All calls of a client.
   *
   * @param watcher begins with the first call
   * @param executor makes calls again after a pause
   */
  Transport(
      NodePool pool,
      Retries retries,
      SpeculativeReads speculation,
      RingWatcher watcher,
      Executor executor) {
    this.pool = pool;
    this.retries = retries;
    this.speculation = speculation;
    this.watcher = watcher;
    this.executor = executor;
  }

  /** The same calls, all of them to one node. */
  Transport toOne(NodeConnection node) {
    return new Transport(new NodePool(node), retries, speculation, watcher, executor);
  }

  /** Each call of this channel goes to a node of the pool. */
  Channel channel() {
    return channel;
  }

  /**
   * A channel for one stream that these nodes answer best: its calls go to the first of them that
   * is sound, each further one to the next, and to any other node when they have had their turn.
   *
   * @param endpoints none: any node
   */
  Channel channel(List<Endpoint> endpoints) {
    return endpoints.isEmpty() ? channel : new PoolChannel(endpoints);
  }

  /** Takes over the nodes of the ring, unless this client keeps to those that it was given. */
  void learn(Ring ring) {
    if (watcher.enabled()) {
      pool.ringIs(ring.nodes());
    }
  }

  private final class PoolChannel extends Channel {

    private final List<Endpoint> preferred;

    /** Where this channel's calls went; guarded by this object's monitor. */
    private final List<NodeConnection> tried = new ArrayList<>();

    /** Any node is as good as any other. */
    PoolChannel() {
      this(List.of());
    }

    PoolChannel(List<Endpoint> preferred) {
      this.preferred = preferred;
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(
        MethodDescriptor<Q, R> method, io.grpc.CallOptions options) {
      watcher.begin();
      // With other nodes to go to, no stream waits for one that does not answer.
      return pick()
          .channel()
          .newCall(method, pool.hasChoice() ? options.withoutWaitForReady() : options);
    }

    private NodeConnection pick() {
      if (preferred.isEmpty()) {
        return pool.pick(List.of());
      }
      synchronized (this) {
        NodeConnection node = pool.pickInOrder(tried, preferred);
        if (tried.contains(node)) {
          tried.clear();
        }
        tried.add(node);
        return node;
      }
    }

    @Override
    public String authority() {
      return pool.first().channel().authority();
    }
  }

  /**
   * Which attempt of its call this is.
   *
   * @param attempt from 1
   * @param speculative whether it is made beside another one that has no answer yet
   */
  record Turn(int attempt, boolean speculative) {
    static final Turn FIRST = new Turn(1, false);
  }

  /**
   * A call of a method with one answer.
   *
   * @param ifUnstated what became of the call if it fails and no node says it
   * @param repeatable whether making it twice is as good as once: it reads, or its changes carry
   *     their timestamps
   * @param turn which attempt of the call it is
   * @param traceparent of the trace that the call is a part of; empty for none
   */
  record Request<Q, R>(
      MethodDescriptor<Q, R> method,
      Q message,
      Deadline deadline,
      Applied ifUnstated,
      boolean repeatable,
      Turn turn,
      String traceparent) {

    /** The first attempt of a call. */
    Request(
        MethodDescriptor<Q, R> method,
        Q message,
        Deadline deadline,
        Applied ifUnstated,
        boolean repeatable) {
      this(method, message, deadline, ifUnstated, repeatable, Turn.FIRST, "");
    }

    /** The same as a part of a trace; empty for none. */
    Request<Q, R> traced(String header) {
      return header.isEmpty()
          ? this
          : new Request<>(method, message, deadline, ifUnstated, repeatable, turn, header);
    }

    /** The same for another attempt. */
    Request<Q, R> at(Turn other) {
      // Not equals(), which Java makes of a record at its first use: that takes longer than a call.
      return other.attempt() == turn.attempt() && other.speculative() == turn.speculative()
          ? this
          : new Request<>(method, message, deadline, ifUnstated, repeatable, other, traceparent);
    }

    /** Whether it changes nothing. */
    boolean isRead() {
      return repeatable && ifUnstated == Applied.NO;
    }

    Request<Q, R> with(Q other) {
      return new Request<>(
          method, other, deadline, ifUnstated, repeatable, Turn.FIRST, traceparent);
    }
  }

  /** A unary call as a future, made once. */
  <Q, R> CompletableFuture<R> call(
      MethodDescriptor<Q, R> method, Q request, Deadline deadline, Applied ifUnstated) {
    watcher.begin();
    return pool.pick(List.of())
        .unary(new Request<>(method, request, deadline, ifUnstated, false))
        .start();
  }

  /** All pages of an answer, joined; one node gives all of them. */
  <Q, R extends Message> CompletableFuture<R> pages(
      MethodDescriptor<Q, R> method,
      Function<String, Q> request,
      Function<R, String> next,
      Deadline deadline) {
    watcher.begin();
    NodeConnection node = pool.pick(List.of());
    return AnswerPages.all(
        token ->
            node.unary(new Request<>(method, request.apply(token), deadline, Applied.NO, false))
                .start(),
        next,
        AnswerPages::appended);
  }

  /** A call that looks at the cluster or the schema: any node can answer it. */
  <Q, R> CompletableFuture<R> look(MethodDescriptor<Q, R> method, Q request, Deadline deadline) {
    watcher.begin();
    return new RoutedCall<Q, R>(
            retries,
            speculation,
            executor,
            new Request<>(method, request, deadline, Applied.NO, false),
            NodeConnection::unary)
        .start();
  }

  /** A call on data: of a session if it is small and there is one, or else a unary call. */
  <Q extends MessageLite, R> Call<R> prepare(Request<Q, R> request) {
    watcher.begin();
    return new RoutedCall<Q, R>(retries, speculation, executor, request, NodeConnection::small);
  }

  /**
   * A read whose answer comes in pages.
   *
   * @param next takes a page, and makes the request for the one after it, or null at the end
   * @param whole makes the result, after the last page
   */
  <Q extends MessageLite, R, T> Call<T> pages(
      Request<Q, R> first, Function<R, @Nullable Q> next, Supplier<T> whole) {
    return new Call<>() {
      @Override
      public T execute() {
        Q following = next.apply(prepare(first).execute());
        while (following != null) {
          following = next.apply(further(following).execute());
        }
        return whole.get();
      }

      @Override
      public CompletableFuture<T> start() {
        CompletableFuture<T> all = new CompletableFuture<>();
        page(all, prepare(first).start());
        return all;
      }

      private void page(CompletableFuture<T> all, CompletableFuture<R> page) {
        whenCancelled(all, () -> page.cancel(false));
        var unused =
            page.whenComplete(
                (answer, failure) -> {
                  if (failure != null) {
                    all.completeExceptionally(failure);
                    return;
                  }
                  try {
                    Q following = next.apply(answer);
                    if (following == null) {
                      all.complete(whole.get());
                    } else if (!all.isDone()) {
                      page(all, further(following).start());
                    }
                  } catch (RuntimeException e) {
                    all.completeExceptionally(e);
                  }
                });
      }

      /** What has a second page is not small: its pages are long, and are unary calls. */
      private Call<R> further(Q following) {
        Request<Q, R> request = first.with(following);
        return new RoutedCall<>(retries, speculation, executor, request, NodeConnection::unary);
      }
    };
  }

  /** A future of what is made of another's result; failures pass as they are. */
  static <A extends @Nullable Object, B extends @Nullable Object> CompletableFuture<B> map(
      CompletableFuture<A> source, Function<A, B> function) {
    CompletableFuture<B> mapped = new CompletableFuture<>();
    var unused =
        source.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                mapped.completeExceptionally(failure);
                return;
              }
              try {
                mapped.complete(function.apply(value));
              } catch (RuntimeException e) {
                mapped.completeExceptionally(e);
              }
            });
    whenCancelled(mapped, () -> source.cancel(false));
    return mapped;
  }

  /** Waits; the exception that comes out has the stack of the caller. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      throw Errors.translate(
          Status.CANCELLED
              .withDescription("the thread that waited for the answer was interrupted")
              .withCause(e)
              .asRuntimeException(),
          Applied.UNKNOWN);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e);
    }
  }

  static void whenCancelled(CompletableFuture<?> future, Runnable action) {
    var unused =
        future.whenComplete(
            (value, failure) -> {
              if (future.isCancelled()) {
                action.run();
              }
            });
  }
}
