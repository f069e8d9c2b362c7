package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Serves one Session: it begins calls as they arrive and sends each one's answer when it has ended.
 *
 * <ul>
 *   <li>Calls run on the event loop that brings them, in the turns that {@link LoopTurns} gives to
 *       their connection, as unary calls do.
 *   <li>Answers are sent after the loop has polled its connections once more: all that have ended
 *       by then go into one message, and into one flush of the connection.
 *   <li>The next message is requested from the transport only while there is room for its calls, so
 *       a client that does not read answers stops its own calls.
 *   <li>A failed call is an answer. Only a number that is not greater than the one before, or a
 *       message that is too large and has very many parts, ends the session, after the calls before
 *       it were answered.
 * </ul>
 *
 * <p>Any thread may wake it; one thread at a time does the work, which is the event loop's if the
 * transport has one.
 */
final class SessionStream extends ServerCall.Listener<SessionRequest> {

  /** How often calls are checked whose callers wait for a limited time. */
  private static final Duration CHECK_TIMEOUTS = Duration.ofMillis(100);

  /**
   * A message that is too large has its calls refused one by one if it has no more parts than this:
   * a client that does not know the limit learns of it. With more it ends the session.
   */
  private static final int ANSWERED_IN_TOO_LARGE = 1_024;

  /** When to try again to send if there is no memory for it. */
  private static final Duration SEND_AGAIN = Duration.ofMillis(50);

  /**
   * A message that has arrived.
   *
   * @param bytes its encoded size
   * @param heldBytes of memory, until all its calls are done
   */
  private record Arrived(SessionRequest request, int bytes, long heldBytes) {}

  private final ServerCall<SessionRequest, EncodedMessage> call;
  private final Sessions sessions;
  private final RpcSettings.Sessions limits;
  private final CallMemory memory;
  private final @Nullable LoopTurns turns;
  private final OpenCall.SessionOrigin origin;

  private final SerialLoop loop = new SerialLoop(this::work, this::broken);
  private final Queue<Arrived> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<OpenCall> outbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sendScheduled = new AtomicBoolean();
  private volatile boolean sendDue;
  private volatile boolean checkDue;
  private volatile boolean halfClosed;
  private volatile boolean gone;
  private volatile boolean goingAway;
  private volatile long goingAwayNanos;
  private volatile long activeNanos;

  // Accessed only by the thread that does the work.
  private final Map<Long, OpenCall> open = new HashMap<>();
  private final SessionAnswers answers;
  private final List<OpenCall> sent = new ArrayList<>();
  private @Nullable EncodedMessage unsent;
  private long lastId;
  private int callsInFlight;
  private long bytesInFlight;
  private boolean asked;
  private boolean windowHeld;
  private boolean goingAwayTold;
  private boolean checking;
  private volatile boolean ended;
  private @Nullable RequestRefusal refusal;

  SessionStream(
      ServerCall<SessionRequest, EncodedMessage> call, Sessions sessions, CallMemory memory) {
    this.call = call;
    this.sessions = sessions;
    this.origin = OpenCall.SessionOrigin.of(call.getAttributes());
    this.limits = sessions.limits();
    this.memory = memory;
    this.turns = CallLoops.of(call.getAttributes());
    this.answers = new SessionAnswers(limits.pieceBytes(), sent::add);
    this.activeNanos = sessions.rpc().clock().monotonicNanos();
  }

  /** Tells the client the limits, and begins to read. */
  void begin() {
    call.sendHeaders(new Metadata());
    call.sendMessage(
        EncodedMessage.of(
            new ByteChunks(),
            SessionResponse.newBuilder().setLimits(sessions.limitsMessage()).build()));
    wake();
  }

  /** Tells the client to begin no more calls. Any thread. */
  void goAway() {
    goingAwayNanos = sessions.rpc().clock().monotonicNanos();
    goingAway = true;
    sendSoon();
  }

  /**
   * Whether no calls can be on their way: the session has ended, its client begins no more, or was
   * told to for so long that it has had the time to learn of it.
   */
  boolean hasLeft(long nowNanos, Duration leaving) {
    return ended || halfClosed || (goingAway && nowNanos - goingAwayNanos >= leaving.toNanos());
  }

  /** Whether nothing has arrived for that long, and the client was not yet told to leave. */
  boolean isIdle(long nowNanos, Duration limit) {
    return !goingAway && nowNanos - activeNanos >= limit.toNanos();
  }

  @Override
  public void onMessage(SessionRequest request) {
    activeNanos = sessions.rpc().clock().monotonicNanos();
    inbox.add(new Arrived(request, memory.messageBytes(), memory.takeRequest()));
    wake();
  }

  @Override
  public void onHalfClose() {
    halfClosed = true;
    wake();
  }

  @Override
  public void onCancel() {
    gone = true;
    wake();
  }

  /** The stream was closed from this side: by this session, or by the intake, which refused it. */
  @Override
  public void onComplete() {
    gone = true;
    wake();
  }

  @Override
  public void onReady() {
    sendDue = true;
    wake();
  }

  /** Does the work now, or soon if this is not the event loop. */
  private void wake() {
    LoopTurns itsLoop = turns;
    if (itsLoop == null || itsLoop.isCurrent()) {
      loop.wake();
    } else {
      itsLoop.later(loop::wake);
    }
  }

  /** Sends what there is after the event loop has polled its connections; any thread. */
  private void sendSoon() {
    LoopTurns itsLoop = turns;
    if (itsLoop == null) {
      sendDue = true;
      loop.wake();
    } else if (sendScheduled.compareAndSet(false, true)) {
      itsLoop.later(
          () -> {
            sendScheduled.set(false);
            sendDue = true;
            loop.wake();
          });
    }
  }

  private void callEnded(OpenCall one) {
    outbox.add(one);
    sendSoon();
  }

  /** Ends the session after an exception in a turn, since it is not known how far the turn got. */
  private void broken(Throwable thrown) {
    if (!ended) {
      close(sessions.rpc().errors().ofWrite(thrown));
      abandon();
    }
  }

  private void work() {
    if (!ended && gone) {
      end();
      abandon();
    }
    if (ended) {
      dropArrived();
      takeAnswers();
      return;
    }
    boolean finalMessage = halfClosed;
    beginCalls();
    if (checkDue) {
      checkTimeouts();
    }
    // A call adds its answer before it asks for sending: what this turn does not take, the next one
    // sends.
    boolean sending = sendDue;
    if (sending) {
      sendDue = false;
    }
    takeAnswers();
    if (sending) {
      send();
      releaseWindow();
    }
    if (callsInFlight == 0 && inbox.isEmpty() && (finalMessage || refusal != null)) {
      RequestRefusal why = refusal;
      close(why == null ? null : sessions.rpc().errors().ofRead(why));
    } else {
      requestMore();
    }
  }

  private void beginCalls() {
    Arrived arrived = inbox.poll();
    while (arrived != null) {
      asked = false;
      boolean tooLarge = arrived.bytes() > limits.maxMessageBytes();
      List<SessionCall> calls = arrived.request().getCallsList();
      int cancelled = arrived.request().getCancelledCount();
      if (tooLarge && calls.size() + cancelled > ANSWERED_IN_TOO_LARGE) {
        if (refusal == null) {
          refusal = sessions.tooLargeToAnswer();
        }
        memory.releaseRequest(arrived.heldBytes());
        arrived = inbox.poll();
        continue;
      }
      OpenCall.Origin message =
          new OpenCall.Origin(arrived.bytes(), arrived.heldBytes(), 1 + calls.size());
      bytesInFlight += arrived.bytes();
      for (int i = 0; i < calls.size(); i++) {
        if (isNext(calls.get(i))) {
          begin(calls.get(i), message, tooLarge);
        } else {
          doneOf(message);
        }
      }
      for (long id : arrived.request().getCancelledList()) {
        OpenCall one = open.get(id);
        if (one != null) {
          one.cancel();
        }
      }
      doneOf(message);
      arrived = inbox.poll();
    }
  }

  /** Checks the number of a call; with the first wrong one the session takes no more. */
  private boolean isNext(SessionCall next) {
    long id = next.getId();
    if (refusal == null && Long.compareUnsigned(id, lastId) <= 0) {
      refusal =
          RequestRefusal.invalid(
              ErrorReasons.REPEATED_SEQUENCE,
              "calls.id",
              "a call has the number "
                  + Long.toUnsignedString(id)
                  + " after one with "
                  + Long.toUnsignedString(lastId)
                  + "; the numbers of a session start at 1 and increase. This call and all after it"
                  + " were ignored");
    }
    lastId = id;
    return refusal == null;
  }

  private void begin(SessionCall next, OpenCall.Origin message, boolean tooLarge) {
    callsInFlight++;
    OpenCall one =
        new OpenCall(sessions, next, message, memory.connection(), origin, this::callEnded);
    if (!one.admit(tooLarge)) {
      return;
    }
    LoopTurns itsLoop = turns;
    if (itsLoop == null) {
      one.run();
    } else if (itsLoop.isFree()) {
      itsLoop.run(one::run);
    } else {
      itsLoop.await(memory.connection(), one::run);
    }
    if (!one.isDone()) {
      open.put(one.id(), one);
      if (one.hasTimeout()) {
        checkTimeoutsLater();
      }
    }
  }

  /** The calls that have ended leave the list of open ones, and their answers are to be sent. */
  private void takeAnswers() {
    OpenCall one = outbox.poll();
    while (one != null) {
      if (!open.isEmpty()) {
        open.remove(one.id());
      }
      if (ended) {
        done(one);
      } else {
        answers.add(one);
      }
      one = outbox.poll();
    }
  }

  private void send() {
    while (call.isReady() && hasMore()) {
      EncodedMessage message = unsent;
      if (message == null) {
        // Read once: another thread may set it meanwhile.
        boolean tells = goingAway && !goingAwayTold;
        message = answers.next(tells);
        goingAwayTold |= tells;
      }
      if (!memory.holdMessage(message.size())) {
        unsent = message;
        sendAgain();
        return;
      }
      unsent = null;
      call.sendMessage(message.held());
      sent.forEach(this::done);
      sent.clear();
    }
  }

  private boolean hasMore() {
    return unsent != null || !answers.isEmpty() || (goingAway && !goingAwayTold);
  }

  private void sendAgain() {
    try {
      sessions.rpc().scheduler().after(SEND_AGAIN, Stage.TIMER, this::sendSoon);
    } catch (RejectedExecutionException tooManyTimers) {
      close(sessions.rpc().errors().ofWrite(overloaded()));
      abandon();
    }
  }

  private static Throwable overloaded() {
    return new CoordinationException.Overloaded("the memory for requests and answers");
  }

  private void done(OpenCall one) {
    one.release();
    callsInFlight--;
    doneOf(one.origin());
  }

  /** A call of a message is done, or the message itself is taken apart. */
  private void doneOf(OpenCall.Origin message) {
    if (message.callIsDone()) {
      bytesInFlight -= message.bytes();
      memory.releaseRequest(message.heldBytes());
    }
  }

  private void checkTimeoutsLater() {
    if (checking) {
      return;
    }
    try {
      sessions
          .rpc()
          .scheduler()
          .after(
              CHECK_TIMEOUTS,
              Stage.TIMER,
              () -> {
                checkDue = true;
                wake();
              });
      checking = true;
    } catch (RejectedExecutionException tooManyTimers) {
      // Calls end by their own deadlines; those that wait for a turn end when it comes.
      checking = false;
    }
  }

  private void checkTimeouts() {
    checkDue = false;
    checking = false;
    long now = sessions.rpc().clock().monotonicNanos();
    boolean more = false;
    for (OpenCall one : List.copyOf(open.values())) {
      if (one.isLate(now)) {
        one.expire();
      }
      more |= one.hasTimeout() && !one.isDone();
    }
    if (more) {
      checkTimeoutsLater();
    }
  }

  /**
   * Requests one more message: the size of the next one is known only when it arrives. Also at the
   * limits, where a client may be that keeps them: what it sends then are cancellations.
   */
  private void requestMore() {
    if (asked || halfClosed || refusal != null) {
      return;
    }
    if (callsInFlight <= limits.maxCalls() && bytesInFlight <= limits.maxBytes()) {
      asked = true;
      call.request(1);
    } else if (!windowHeld) {
      // The transport keeps what the client sends now.
      windowHeld = memory.holdWindow();
      if (!windowHeld) {
        close(sessions.rpc().errors().ofWrite(overloaded()));
        abandon();
      }
    }
  }

  /**
   * Releases the memory for what the client sent while nothing was requested, once the transport
   * has no message left of that: it brings those that it has before anything else happens.
   */
  private void releaseWindow() {
    if (windowHeld && asked && inbox.isEmpty()) {
      windowHeld = false;
      memory.releaseWindow();
    }
  }

  private void close(@Nullable StatusRuntimeException error) {
    end();
    if (error == null) {
      call.close(Status.OK, new Metadata());
    } else {
      Metadata trailers = error.getTrailers();
      call.close(error.getStatus(), trailers == null ? new Metadata() : trailers);
    }
  }

  private void end() {
    ended = true;
    sessions.ended(this);
  }

  /** Drops all answers, and cancels what is open. */
  private void abandon() {
    unsent = null;
    answers.clear();
    sent.forEach(this::done);
    sent.clear();
    List.copyOf(open.values()).forEach(OpenCall::cancel);
    dropArrived();
  }

  /** Releases the memory of messages that arrive after the end; their calls are not begun. */
  private void dropArrived() {
    Arrived arrived = inbox.poll();
    while (arrived != null) {
      memory.releaseRequest(arrived.heldBytes());
      arrived = inbox.poll();
    }
  }
}
