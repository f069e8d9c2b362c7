package dev.colonnade.server.net;

import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.memory.MemoryPool;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Requests and answers over a {@link Transport} that promises nothing: joins answers with requests,
 * keeps deadlines, calls off what nobody waits for, and hands what other nodes ask to the handler
 * of its verb. A node asks itself by other ways.
 *
 * <p>Thread-safe. Nothing here waits. Futures complete on the transport's threads, at a deadline on
 * a stage's; what is attached to them must not block.
 */
public final class Messenger {

  /** Another replica can be asked instead, and nothing is done twice by that. */
  private static final Set<Verb> READS =
      EnumSet.of(Verb.READ_ROW, Verb.READ_DIGEST, Verb.READ_RANGE);

  /** Whoever sent these keeps them for the replica when they fail, which costs something. */
  private static final Set<Verb> WRITES = EnumSet.of(Verb.MUTATION, Verb.READ_REPAIR, Verb.TOUCH);

  /** How long a broken connection's answers may take to come another way. */
  private static final long LATE_REPLY_GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Peer self;
  private final Transport transport;
  private final Clock clock;
  private final VerbMetrics verbMetrics = new VerbMetrics();
  private final PendingRequests pending;
  private final InboundRequests inbound;
  private final DeadlineTimer timer;
  private volatile boolean stopped;

  /** A messenger with the default limits; it hears nothing before {@link #start}. */
  public Messenger(Peer self, Transport transport, Clock clock, Scheduler scheduler) {
    this(self, transport, clock, scheduler, MessengerSettings.DEFAULT);
  }

  /** A messenger with other limits; the bytes of what it handles are not bounded. */
  public Messenger(
      Peer self,
      Transport transport,
      Clock clock,
      Scheduler scheduler,
      MessengerSettings settings) {
    this(self, transport, clock, scheduler, settings, MemoryPool.unbounded());
  }

  /**
   * A messenger with all limits.
   *
   * @param memory what requests of other nodes take of the heap while they are at work
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
    // A restarted node must not take answers to its former requests for answers to new ones: it
    // would have to ask a thousand times in each microsecond to catch up with itself.
    this.pending =
        new PendingRequests(clock.wallMicros() << 10, settings.maxPending(), this::onCancelled);
    this.inbound = new InboundRequests(self, transport, clock, verbMetrics, settings, memory);
    this.timer = new DeadlineTimer(clock, scheduler, settings.granularity(), this::sweep);
  }

  /** Who this node is to others. */
  public Peer self() {
    return self;
  }

  /**
   * Says who deals with a verb; before {@link #start}.
   *
   * @throws IllegalStateException if somebody does already
   */
  public void handle(Verb verb, RequestHandler handler) {
    inbound.handle(verb, handler);
  }

  /** Begins to receive. Called once, when all handlers are known. */
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
   * Fails what waits for answers and calls off what other nodes asked; from now on requests fail at
   * once, here with NOT_SENT, there with NOT_READY. The transport goes on until its owner stops it.
   */
  public void stop() {
    stopped = true;
    for (PendingRequest request : pending.removeIf(any -> true)) {
      request.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.NOT_SENT, "this node stops; what was asked may be done"));
    }
    inbound.cancelAll();
  }

  /**
   * Asks a peer. Cancelling the future tells the peer, whose handler is called off then.
   *
   * @param body not to be changed from now on
   * @param deadlineNanos by the monotonic clock; MAX_VALUE for none
   * @return the body of the answer. Fails with {@link PeerFailure}: the peer's own, or TIMED_OUT at
   *     the deadline, NOT_SENT if the request did not leave this node or the peer was forgotten,
   *     OVERLOADED if too many requests wait already, LOST for reads whose connection broke, and
   *     for writes of which no answer came another way within a second of that
   */
  public CompletableFuture<byte[]> request(Peer to, Verb verb, byte[] body, long deadlineNanos) {
    long now = clock.monotonicNanos();
    VerbMetrics.PerVerb counts = verbMetrics.of(verb);
    long timeout = 0;
    if (deadlineNanos != Long.MAX_VALUE) {
      timeout = deadlineNanos - now;
      if (timeout <= 0) {
        counts.timedOut.increment();
        return failed(PeerFailure.Code.TIMED_OUT, "too late to ask " + to + "; nothing was sent");
      }
    }
    if (body.length > FrameCodec.MAX_BODY_BYTES) {
      return failed(
          PeerFailure.Code.REFUSED,
          verb + " of " + body.length + " bytes is longer than a message between nodes may be");
    }
    if (stopped) {
      return failed(PeerFailure.Code.NOT_SENT, "this node stops; nothing was sent to " + to);
    }
    PendingRequest request = pending.add(to, verb, now, deadlineNanos);
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
          new Frame(Frame.FrameKind.REQUEST, verb, self, to.id(), request.number(), timeout, body);
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

  /** Tells a peer something; it may be lost, and nobody will know. */
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
   * Gives up a peer that is down: what waits for it fails with NOT_SENT, though it may have been
   * done, and connections to it begin afresh.
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
              peer + " is down; whether it did what was asked is unknown"));
    }
  }

  /** How the messages of each verb fared, in the order of {@link Verb}. */
  public List<VerbFigures> figures() {
    return verbMetrics.figures();
  }

  /** How many requests of this node wait for an answer. */
  public int pendingRequests() {
    return pending.size();
  }

  /** How many requests of other nodes are being handled. */
  public int runningRequests() {
    return inbound.size();
  }

  private void receive(Frame frame) {
    if (!frame.toId().isEmpty() && !frame.toId().equals(self.id())) {
      verbMetrics.of(frame.verb()).dropped.increment();
      if (frame.kind() == Frame.FrameKind.REQUEST) {
        inbound.refuse(
            frame, PeerFailure.Code.NOT_READY, "listens where " + frame.toId() + " was before");
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
      // Late, doubled, or for an earlier run of this node.
      counts.dropped.increment();
      return;
    }
    counts.latency.record(clock.monotonicNanos() - request.sentNanos());
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
   * What was under way to a peer may be done or not. Reads are given back at once. A write may be
   * answered yet, over a stream of the peer's, and is waited for a little, so that a connection
   * that breaks between living nodes does not fail writes that were made.
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
        && request.verb().lane() == channel
        && request.to().address().equals(peer);
  }

  private void giveUp(PendingRequest request) {
    verbMetrics.of(request.verb()).failed.increment();
    request.completeExceptionally(
        new PeerFailure(
            PeerFailure.Code.LOST,
            "the connection to "
                + request.to()
                + " broke; whether it did what was asked is unknown"));
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
