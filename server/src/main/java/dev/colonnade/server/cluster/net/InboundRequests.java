package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the handlers for requests of other nodes, sends the answers, and cancels work when its
 * requester no longer waits.
 *
 * <ul>
 *   <li>A request is refused if too many are running or its sender's share of memory is used up. In
 *       that case nothing was done.
 *   <li>A request delivered again while its handler runs is dropped.
 *   <li>A request that is answered at once, as most are, is never registered as running.
 * </ul>
 *
 * <p>Thread-safe. Handlers run on the transport's threads.
 */
final class InboundRequests {

  private static final Logger LOG = LoggerFactory.getLogger(InboundRequests.class);

  /** The memory of a request besides its body. */
  private static final long REQUEST_BYTES = 256;

  /** Accounts for the body and for what is decoded from it. */
  private static final long BODY_FACTOR = 2;

  /** The same weight as a client connection: see {@link MemoryPool#share}. */
  private static final int PEER_WEIGHT = 2;

  private final Peer self;
  private final Transport transport;
  private final Clock clock;
  private final VerbMetrics verbMetrics;
  private final MessengerSettings limits;
  private final MemoryPool memory;
  private final Map<String, MemoryPool.PoolShare> shares = new ConcurrentHashMap<>();
  private final Map<Verb, RequestHandler> handlers = new EnumMap<>(Verb.class);
  private final Map<RunningRequest.RequestKey, RunningRequest> running = new ConcurrentHashMap<>();

  /**
   * Starts without handlers.
   *
   * @param memory accounts for running requests; each peer has a share of it
   */
  InboundRequests(
      Peer self,
      Transport transport,
      Clock clock,
      VerbMetrics verbMetrics,
      MessengerSettings limits,
      MemoryPool memory) {
    this.self = self;
    this.transport = transport;
    this.clock = clock;
    this.verbMetrics = verbMetrics;
    this.limits = limits;
    this.memory = memory;
  }

  void handle(Verb verb, RequestHandler handler) {
    if (handlers.putIfAbsent(verb, handler) != null) {
      throw new IllegalStateException(verb + " has a handler already");
    }
  }

  /** The number of requests whose handler has not answered yet. */
  int size() {
    return running.size();
  }

  void tell(Frame frame) {
    RequestHandler handler = handlers.get(frame.verb());
    if (handler == null) {
      verbMetrics.of(frame.verb()).dropped.increment();
      return;
    }
    verbMetrics.of(frame.verb()).received.increment();
    RunningRequest request = new RunningRequest(frame, Long.MAX_VALUE, clock);
    Then.whenDone(
        run(handler, request),
        (body, thrown) -> {
          if (thrown != null) {
            failure(frame, thrown);
          }
        });
  }

  /**
   * Starts handling a request.
   *
   * @return the deadline by the monotonic clock if the request is not answered yet; otherwise
   *     MAX_VALUE
   */
  long ask(Frame frame) {
    VerbMetrics.PerVerb counts = verbMetrics.of(frame.verb());
    RequestHandler handler = handlers.get(frame.verb());
    if (handler == null) {
      counts.dropped.increment();
      refuse(frame, PeerFailure.Code.NOT_READY, "does not serve " + frame.verb() + " now");
      return Long.MAX_VALUE;
    }
    if (frame.timeoutNanos() < 0) {
      counts.dropped.increment();
      return Long.MAX_VALUE;
    }
    long deadline =
        frame.timeoutNanos() == 0 ? Long.MAX_VALUE : clock.monotonicNanos() + frame.timeoutNanos();
    RunningRequest request = new RunningRequest(frame, deadline, clock);
    if (running.size() >= limits.maxRunning()) {
      return tooMuch(frame, "has too many requests of other nodes in progress already");
    }
    if (running.containsKey(request.key())) {
      // A duplicate from the network; the first one is being handled.
      counts.dropped.increment();
      return Long.MAX_VALUE;
    }
    Claim bytes = hold(frame);
    if (bytes == null) {
      return tooMuch(frame, "has no memory left for requests of other nodes");
    }
    counts.received.increment();
    CompletableFuture<byte[]> answer = run(handler, request);
    if (answer.isDone()) {
      bytes.close();
      Then.whenDone(answer, (body, thrown) -> answer(request, body, thrown));
      return Long.MAX_VALUE;
    }
    Claim place = begin(request, bytes);
    request.answeredBy(answer);
    Then.whenDone(
        answer,
        (body, thrown) -> {
          place.close();
          answer(request, body, thrown);
        });
    return deadline;
  }

  private long tooMuch(Frame frame, String what) {
    verbMetrics.of(frame.verb()).dropped.increment();
    refuse(frame, PeerFailure.Code.OVERLOADED, what + "; this request was not started");
    return Long.MAX_VALUE;
  }

  /** Reserves memory for a request; null if there is not enough. */
  private @Nullable Claim hold(Frame frame) {
    long bytes = REQUEST_BYTES + BODY_FACTOR * frame.body().length;
    MemoryPool.PoolShare share =
        shares.computeIfAbsent(frame.from().id(), peer -> memory.share(PEER_WEIGHT));
    return share.reserve(MemoryUse.PEER_REQUESTS, bytes)
        ? Claim.of(() -> share.release(MemoryUse.PEER_REQUESTS, bytes))
        : null;
  }

  private Claim begin(RunningRequest request, Claim bytes) {
    running.put(request.key(), request);
    return Claim.of(
        () -> {
          bytes.close();
          running.remove(request.key(), request);
        });
  }

  private static CompletableFuture<byte[]> run(RequestHandler handler, RunningRequest request) {
    return Then.called(() -> handler.handle(request));
  }

  private void answer(RunningRequest request, byte @Nullable [] body, @Nullable Throwable thrown) {
    Frame frame = request.frame();
    if (request.isCancelled()) {
      return;
    }
    if (thrown == null && body != null && body.length <= FrameCodec.MAX_BODY_BYTES) {
      send(frame, Frame.FrameKind.REPLY, body, request.deadlineNanos(), request.answerTrace());
      return;
    }
    Throwable reason = thrown;
    if (reason == null) {
      reason =
          new IllegalStateException(
              body == null
                  ? "the answer is null"
                  : "the answer has " + body.length + " bytes, more than a frame holds");
    }
    byte[] failure = FailureCodec.encode(failure(frame, reason));
    send(frame, Frame.FrameKind.FAILURE, failure, request.deadlineNanos(), request.answerTrace());
  }

  /**
   * The failure to send back; a bug is logged here, since the requester cannot do anything about
   * it.
   */
  private static PeerFailure failure(Frame frame, Throwable thrown) {
    Throwable cause = Errors.unwrap(thrown);
    if (cause instanceof PeerFailure known) {
      return known;
    }
    if (Errors.isOverload(cause)) {
      return new PeerFailure(PeerFailure.Code.OVERLOADED, "no memory left outside the heap");
    }
    LOG.error("handling {} of {} failed", frame.verb(), frame.from(), cause);
    return new PeerFailure(
        PeerFailure.Code.INTERNAL,
        "an internal error in " + frame.verb() + "; the node's log has the details",
        cause);
  }

  /** Answers with a failure of this node. */
  void refuse(Frame frame, PeerFailure.Code code, String what) {
    PeerFailure failure = new PeerFailure(code, self + " " + what);
    byte[] encoded = FailureCodec.encode(failure);
    send(frame, Frame.FrameKind.FAILURE, encoded, Long.MAX_VALUE, Frame.NO_TRACE);
  }

  private void send(
      Frame frame, Frame.FrameKind kind, byte[] body, long deadlineNanos, byte[] trace) {
    long timeout =
        deadlineNanos == Long.MAX_VALUE ? 0 : Math.max(1, deadlineNanos - clock.monotonicNanos());
    Peer sender = frame.from();
    Frame answer =
        new Frame(kind, frame.verb(), self, sender.id(), frame.number(), timeout, body, trace);
    if (!transport.send(sender.address(), answer)) {
      verbMetrics.of(frame.verb()).dropped.increment();
    }
  }

  /** Handles a cancellation by the requester. */
  void cancel(Frame cancel) {
    RunningRequest request =
        running.remove(new RunningRequest.RequestKey(cancel.from().id(), cancel.number()));
    if (request != null) {
      verbMetrics.of(cancel.verb()).cancelled.increment();
      request.cancel();
    }
  }

  /**
   * Cancels requests whose deadline has passed.
   *
   * @return the next deadline; MAX_VALUE if there is none
   */
  long cancelLate(long nowNanos) {
    long earliest = Long.MAX_VALUE;
    TreeMap<RunningRequest.RequestKey, RunningRequest> late = new TreeMap<>();
    for (RunningRequest request : running.values()) {
      if (request.isOver(nowNanos)) {
        late.put(request.key(), request);
      } else {
        earliest = Math.min(earliest, request.deadlineNanos());
      }
    }
    late.forEach(this::cancelLate);
    return earliest;
  }

  private void cancelLate(RunningRequest.RequestKey key, RunningRequest request) {
    if (running.remove(key, request)) {
      verbMetrics.of(request.frame().verb()).cancelled.increment();
      request.cancel();
    }
  }

  /** Cancels all requests, when the node stops. */
  void cancelAll() {
    List<RunningRequest.RequestKey> keys = new ArrayList<>(running.keySet());
    keys.sort(null);
    for (RunningRequest.RequestKey key : keys) {
      RunningRequest request = running.remove(key);
      if (request != null) {
        request.cancel();
      }
    }
  }
}
