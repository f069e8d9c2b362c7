package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.metrics.Histograms;
import io.prometheus.metrics.model.registry.Collector;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to other nodes and handles theirs, over a {@link Transport} that guarantees
 * nothing. It matches answers with requests, enforces deadlines, passes cancellation on, and gives
 * each request to the handler of its verb. A node does not send messages to itself.
 *
 * <ul>
 *   <li>A request completes with the peer's answer or failure, or fails at its deadline, when its
 *       peer is forgotten, or on {@link #stop}.
 *   <li>Request numbers are greater than those of earlier runs of the node, so that a late answer
 *       to an earlier run is recognised.
 *   <li>When a connection breaks, reads fail at once, because another replica can be asked; writes
 *       wait a little for an answer over another stream.
 * </ul>
 *
 * <p>Thread-safe. Nothing here blocks. Futures complete on the transport's threads, or at a
 * deadline on a stage; code attached to them must not block.
 */
public final class Messenger {

  /** Verbs for which another replica can be asked without doing anything twice. */
  private static final Set<Verb> READS =
      EnumSet.of(Verb.READ_ROW, Verb.READ_DIGEST, Verb.READ_RANGE);

  /** Verbs whose failure makes the sender store a hint, which costs something. */
  private static final Set<Verb> WRITES = EnumSet.of(Verb.MUTATION, Verb.READ_REPAIR, Verb.TOUCH);

  /** How long to wait for a write's answer over another stream after its connection broke. */
  private static final long LATE_REPLY_GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Peer self;
  private final Transport transport;
  private final Clock clock;
  private final VerbMetrics verbMetrics = new VerbMetrics();
  private final PendingRequests pending;
  private final InboundRequests inbound;
  private final DeadlineTimer timer;
  private volatile boolean stopped;

  /** Creates a messenger with the default limits; it receives nothing before {@link #start}. */
  public Messenger(Peer self, Transport transport, Clock clock, Scheduler scheduler) {
    this(self, transport, clock, scheduler, MessengerSettings.DEFAULT);
  }

  /**
   * Creates a messenger with other limits; the memory of the requests it handles is not bounded.
   */
  public Messenger(
      Peer self,
      Transport transport,
      Clock clock,
      Scheduler scheduler,
      MessengerSettings settings) {
    this(self, transport, clock, scheduler, settings, MemoryPool.unbounded());
  }

  /**
   * Creates a messenger with all limits.
   *
   * @param memory accounts for the requests of other nodes that are being handled
   */
  public Messenger(
      Peer self,
      Transport transport,
      Clock clock,
      Scheduler scheduler,
      MessengerSettings settings,
      MemoryPool memory) {
    this.self = self;
    this.transport = transport;
    this.clock = clock;
    // Numbers start at the wall clock, so that a restarted node does not take answers to its
    // earlier requests for new ones. It would have to send a thousand requests per microsecond to
    // reuse a number.
    this.pending =
        new PendingRequests(clock.wallMicros() << 10, settings.maxPending(), this::onCancelled);
    this.inbound = new InboundRequests(self, transport, clock, verbMetrics, settings, memory);
    this.timer = new DeadlineTimer(clock, scheduler, settings.granularity(), this::sweep);
  }

  /** This node as others know it. */
  public Peer self() {
    return self;
  }

  /**
   * Registers the handler of a verb; call before {@link #start}.
   *
   * @throws IllegalStateException if the verb has a handler already
   */
  public void handle(Verb verb, RequestHandler handler) {
    inbound.handle(verb, handler);
  }

  /** Starts receiving. Called once, after all handlers are registered. */
  public void start() {
    transport.receive(
        new FrameReceiver() {
          @Override
          public void accept(Frame frame) {
            receive(frame);
          }

          @Override
          public void unsent(Frame frame) {
            if (frame.kind() == Frame.FrameKind.REQUEST) {
              requestDropped(frame);
            }
          }

          @Override
          public void broke(PeerAddress peer, ChannelClass channel) {
            suspect(peer, channel);
          }
        });
  }

  /**
   * Fails all pending requests and cancels those of other nodes. From now on requests fail at once,
   * this node's with NOT_SENT and others' with NOT_READY. The transport keeps running until its
   * owner stops it.
   */
  public void stop() {
    stopped = true;
    for (PendingRequest request : pending.removeIf(any -> true)) {
      request.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.NOT_SENT,
              "this node is stopping; the request may have been carried out"));
    }
    inbound.cancelAll();
  }

  /**
   * Sends a request to a peer. Cancelling the future tells the peer, which cancels its handler's
   * future.
   *
   * @param body must not be changed from now on
   * @param deadlineNanos by the monotonic clock; MAX_VALUE for none
   * @return the body of the answer. Fails with {@link PeerFailure}: the peer's own, TIMED_OUT at
   *     the deadline, NOT_SENT if the request did not leave this node or the peer was forgotten,
   *     OVERLOADED if too many requests are pending, LOST for reads whose connection broke, and for
   *     writes if no answer came another way within a second of that
   */
  public CompletableFuture<byte[]> request(Peer to, Verb verb, byte[] body, long deadlineNanos) {
    return request(to, verb, body, deadlineNanos, null);
  }

  /**
   * As {@link #request(Peer, Verb, byte[], long)}, for a call that may be traced.
   *
   * @param trace null if it is not: then nothing more is sent than without this method
   */
  public CompletableFuture<byte[]> request(
      Peer to, Verb verb, byte[] body, long deadlineNanos, @Nullable TraceCarrier trace) {
    long now = clock.monotonicNanos();
    VerbMetrics.PerVerb counts = verbMetrics.of(verb);
    long timeout = 0;
    if (deadlineNanos != Long.MAX_VALUE) {
      timeout = deadlineNanos - now;
      if (timeout <= 0) {
        counts.timedOut.increment();
        return failed(
            PeerFailure.Code.TIMED_OUT, "the deadline has passed; nothing was sent to " + to);
      }
    }
    if (body.length > FrameCodec.MAX_BODY_BYTES) {
      return failed(
          PeerFailure.Code.REFUSED,
          verb + " of " + body.length + " bytes exceeds the limit of a message between nodes");
    }
    if (stopped) {
      return failed(PeerFailure.Code.NOT_SENT, "this node is stopping; nothing was sent to " + to);
    }
    PendingRequest request = pending.add(to, verb, now, deadlineNanos, trace);
    if (request == null) {
      counts.dropped.increment();
      return failed(
          PeerFailure.Code.OVERLOADED,
          "too many requests to other nodes wait for answers; nothing was sent to " + to);
    }
    boolean sent;
    try {
      timer.cover(deadlineNanos);
      Frame frame =
          new Frame(
              Frame.FrameKind.REQUEST,
              verb,
              self,
              to.id(),
              request.number(),
              timeout,
              body,
              trace == null ? Frame.NO_TRACE : trace.request());
      sent = transport.send(to.address(), frame);
    } catch (RuntimeException | Error e) {
      pending.remove(request);
      throw e;
    }
    if (sent) {
      counts.sent.increment();
    } else if (pending.remove(request)) {
      counts.dropped.increment();
      request.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.NOT_SENT,
              to + " cannot be reached, or the queue to it is full; nothing was sent"));
    }
    return request;
  }

  private static CompletableFuture<byte[]> failed(PeerFailure.Code code, String message) {
    return CompletableFuture.failedFuture(new PeerFailure(code, message));
  }

  /** Sends a message without an answer; it may be lost unnoticed. */
  public void sendOneWay(Peer to, Verb verb, byte[] body) {
    VerbMetrics.PerVerb counts = verbMetrics.of(verb);
    Frame frame = new Frame(Frame.FrameKind.ONE_WAY, verb, self, to.id(), 0, 0, body);
    if (body.length <= FrameCodec.MAX_BODY_BYTES && transport.send(to.address(), frame)) {
      counts.sent.increment();
    } else {
      counts.dropped.increment();
    }
  }

  /**
   * Gives up a peer that is down: requests pending there fail with NOT_SENT, though they may have
   * been carried out, and its connections are closed.
   */
  public void forget(Peer peer) {
    transport.forget(peer.address());
    List<PendingRequest> lost =
        pending.removeIf(
            request ->
                (peer.id().isEmpty() || request.to().id().isEmpty())
                    ? request.to().address().equals(peer.address())
                    : request.to().id().equals(peer.id()));
    for (PendingRequest request : lost) {
      request.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.NOT_SENT,
              peer + " is down; whether it carried out the request is unknown"));
    }
  }

  /** Counts of the messages of each verb, in the order of {@link Verb}. */
  public List<VerbFigures> figures() {
    return verbMetrics.figures();
  }

  /** The durations of requests to other nodes, by verb, to be registered. */
  public Collector durations() {
    return verbMetrics.durations();
  }

  /** The number of this node's requests that wait for an answer. */
  public int pendingRequests() {
    return pending.size();
  }

  /** The number of other nodes' requests that are being handled. */
  public int runningRequests() {
    return inbound.size();
  }

  private void receive(Frame frame) {
    if (!frame.toId().isEmpty() && !frame.toId().equals(self.id())) {
      verbMetrics.of(frame.verb()).dropped.increment();
      if (frame.kind() == Frame.FrameKind.REQUEST) {
        inbound.refuse(
            frame,
            PeerFailure.Code.NOT_READY,
            "now listens at the former address of " + frame.toId());
      }
      return;
    }
    switch (frame.kind()) {
      case ONE_WAY -> {
        if (!stopped) {
          inbound.tell(frame);
        }
      }
      case REQUEST -> {
        if (stopped) {
          inbound.refuse(frame, PeerFailure.Code.NOT_READY, "stops");
        } else {
          timer.cover(inbound.ask(frame));
        }
      }
      case REPLY, FAILURE -> answered(frame);
      case CANCEL -> inbound.cancel(frame);
    }
  }

  private void answered(Frame answer) {
    VerbMetrics.PerVerb counts = verbMetrics.of(answer.verb());
    PendingRequest request = pending.answered(answer);
    if (request == null) {
      // A late answer, a duplicate, or an answer to an earlier run of this node.
      counts.dropped.increment();
      return;
    }
    counts.duration.observe(Histograms.seconds(clock.monotonicNanos() - request.sentNanos()));
    TraceCarrier trace = request.trace();
    if (trace != null && answer.trace().length > 0) {
      trace.answered(answer.trace());
    }
    if (answer.kind() == Frame.FrameKind.REPLY) {
      request.complete(answer.body());
    } else {
      counts.failed.increment();
      request.completeExceptionally(FailureCodec.decode(answer.body()));
    }
  }

  private void requestDropped(Frame frame) {
    PendingRequest request = pending.unsent(frame);
    if (request != null) {
      verbMetrics.of(frame.verb()).dropped.increment();
      request.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.NOT_SENT, request.to() + " cannot be reached; nothing was sent"));
    }
  }

  /**
   * Handles a broken stream. Requests in flight over it may or may not have been carried out. Reads
   * fail at once. Writes may still be answered over a stream of the peer's and wait a little, so
   * that a connection that breaks between living nodes does not fail writes that were applied.
   */
  private void suspect(PeerAddress peer, ChannelClass channel) {
    long now = clock.monotonicNanos();
    for (PendingRequest read :
        pending.removeIf(request -> isUnderWay(request, READS, peer, channel))) {
      giveUp(read);
    }
    List<PendingRequest> writes =
        pending.all(request -> isUnderWay(request, WRITES, peer, channel));
    writes.forEach(write -> write.suspect(now + LATE_REPLY_GRACE_NANOS));
    if (!writes.isEmpty()) {
      timer.cover(now + LATE_REPLY_GRACE_NANOS);
    }
  }

  private static boolean isUnderWay(
      PendingRequest request, Set<Verb> verbs, PeerAddress peer, ChannelClass channel) {
    return verbs.contains(request.verb())
        && request.verb().channelClass() == channel
        && request.to().address().equals(peer);
  }

  private void giveUp(PendingRequest request) {
    verbMetrics.of(request.verb()).failed.increment();
    request.completeExceptionally(
        new PeerFailure(
            PeerFailure.Code.LOST,
            "the connection to "
                + request.to()
                + " broke; whether it carried out the request is unknown"));
  }

  private void onCancelled(PendingRequest request) {
    Peer to = request.to();
    Frame cancel =
        new Frame(
            Frame.FrameKind.CANCEL,
            request.verb(),
            self,
            to.id(),
            request.number(),
            0,
            new byte[0]);
    if (!transport.send(to.address(), cancel)) {
      verbMetrics.of(request.verb()).dropped.increment();
    }
  }

  private long sweep(long nowNanos) {
    for (PendingRequest late : pending.removeIf(request -> isOver(request, nowNanos))) {
      if (late.isSuspected()) {
        giveUp(late);
        continue;
      }
      verbMetrics.of(late.verb()).timedOut.increment();
      long waited = TimeUnit.NANOSECONDS.toMillis(nowNanos - late.sentNanos());
      late.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.TIMED_OUT,
              late.to() + " did not answer " + late.verb() + " within " + waited + " ms"));
    }
    return Math.min(pending.earliestDeadline(), inbound.cancelLate(nowNanos));
  }

  private static boolean isOver(PendingRequest request, long nowNanos) {
    return request.deadlineNanos() <= nowNanos;
  }
}
