package dev.colonnade.client;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of a session: it waits to be sent, is sent, and ends exactly once. Thread-safe but for
 * what belongs to the sender and the receiver of its session.
 */
abstract class PendingCall {

  /** How a call ended. */
  sealed interface Outcome {}

  /** With the answer of its method, encoded. */
  record Answered(ByteString message) implements Outcome {}

  /** With an error from the node: a google.rpc.Status, encoded. */
  record Refused(ByteString status) implements Outcome {}

  /** Without an answer. */
  record Failed(Status status, Applied applied) implements Outcome {}

  /** Its session ended before it was sent: it can be made in another way. */
  record NotSent() implements Outcome {}

  private static final VarHandle STATE;
  private static final VarHandle HEIR;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(PendingCall.class, "state", Object.class);
      HEIR = MethodHandles.lookup().findVarHandle(Blocking.class, "heir", Consumer.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final Object SENT = new Object();
  private static final NotSent NOT_SENT = new NotSent();

  /** No answer is longer than the longest message of a unary call. */
  private static final int MAX_ANSWER_BYTES = Colonnade.MAX_MESSAGE_BYTES;

  private final SessionMethod method;
  private final byte[] request;
  private final long deadlineNanos;
  private final Applied ifUnstated;

  /** Null while the call waits to be sent, then {@link #SENT}, then the {@link Outcome}. */
  @SuppressWarnings("UnusedVariable") // is read and written through STATE
  private volatile @Nullable Object state;

  private volatile long id;

  /** Set before the call is submitted. */
  private String traceparent = "";

  /** Belongs to the receiver. */
  private ByteString pieces = ByteString.EMPTY;

  /**
   * A call that waits to be sent.
   *
   * @param request as {@link SessionMethod#encode} makes it
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @param ifUnstated what became of the call if it fails after it was sent and no node says it
   */
  PendingCall(SessionMethod method, byte[] request, long deadlineNanos, Applied ifUnstated) {
    this.method = method;
    this.request = request;
    this.deadlineNanos = deadlineNanos;
    this.ifUnstated = ifUnstated;
  }

  /** Runs once, when the call has ended, on the thread that ended it. Does not block. */
  abstract void ended(Outcome outcome);

  /** Whether no thread watches its deadline, so that the session does. */
  abstract boolean needsAlarm();

  byte[] request() {
    return request;
  }

  /** Makes the call a part of a trace, before it is submitted; empty for none. */
  void traced(String header) {
    traceparent = header;
  }

  /** The header of the trace that it is a part of; empty for none. */
  String traceparent() {
    return traceparent;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Its number on the session; 0 before it has one. */
  long id() {
    return id;
  }

  /** Null while it has not ended. */
  @Nullable Outcome outcome() {
    return state instanceof Outcome outcome ? outcome : null;
  }

  /** For the sender, before the call is sent. */
  void number(long number) {
    id = number;
  }

  /** For the sender: false if the call has ended while it waited, and is not to be sent. */
  boolean send() {
    return STATE.compareAndSet(this, null, SENT);
  }

  /** For the sender, when the session ends: the call can be made in another way. */
  void returnUnsent() {
    if (STATE.compareAndSet(this, null, NOT_SENT)) {
      ended(NOT_SENT);
    }
  }

  /** For the receiver: an answer, or the last piece of one. */
  void answer(int field, ByteString bytes) {
    if (field == dev.colonnade.v1.SessionAnswer.ERROR_FIELD_NUMBER) {
      end(new Refused(bytes));
    } else if (field == dev.colonnade.v1.SessionAnswer.PIECE_FIELD_NUMBER) {
      addPiece(bytes);
      end(new Answered(pieces));
    } else if (field == method.field()) {
      end(new Answered(bytes));
    } else {
      end(
          failed(
              Status.INTERNAL.withDescription(
                  "the answer to " + method + " is of another kind, field " + field)));
    }
  }

  /** For the receiver: a piece of an answer that is not complete with it. */
  void addPiece(ByteString piece) {
    if (piece.size() > MAX_ANSWER_BYTES - pieces.size()) {
      end(
          failed(
              Status.RESOURCE_EXHAUSTED.withDescription(
                  "the answer is longer than " + MAX_ANSWER_BYTES + " bytes")));
      return;
    }
    pieces = pieces.concat(piece);
  }

  /** For the receiver, when the session broke. */
  void breakOff(Status why) {
    end(failed(why));
  }

  private void end(Outcome outcome) {
    if (STATE.compareAndSet(this, SENT, outcome)) {
      ended(outcome);
    }
  }

  private Failed failed(Status status) {
    return new Failed(status, ifUnstated);
  }

  /**
   * Ends the call for a caller that does not wait any longer.
   *
   * @return whether the node must be told, because the call was sent and had not ended
   */
  boolean giveUp(Status why) {
    Failed unsent = new Failed(why, Applied.NO);
    if (STATE.compareAndSet(this, null, unsent)) {
      ended(unsent);
      return false;
    }
    Failed unanswered = failed(why);
    if (STATE.compareAndSet(this, SENT, unanswered)) {
      ended(unanswered);
      return true;
    }
    return false;
  }

  /** Why a call ends at its deadline. */
  static Status expired() {
    return Status.DEADLINE_EXCEEDED.withDescription("the answer did not come within the deadline");
  }

  /** A call whose caller waits for it. */
  static final class Blocking extends PendingCall {

    private final Thread caller = Thread.currentThread();

    /** Takes the outcome, in the place of a caller that waits no longer; null before, and after. */
    @SuppressWarnings("UnusedVariable") // is read and written through HEIR
    private volatile @Nullable Consumer<Outcome> heir;

    private volatile boolean handedOver;

    Blocking(SessionMethod method, byte[] request, long deadlineNanos, Applied ifUnstated) {
      super(method, request, deadlineNanos, ifUnstated);
    }

    @Override
    void ended(Outcome outcome) {
      LockSupport.unpark(caller);
      if (handedOver) {
        tellHeir();
      }
    }

    @Override
    boolean needsAlarm() {
      return handedOver;
    }

    /**
     * Passes the call on to one that does not wait; for the thread that made it.
     *
     * @param whenEnded takes the outcome, once, on this thread or the one that ended the call; does
     *     not block
     */
    void handOver(Consumer<Outcome> whenEnded) {
      heir = whenEnded;
      handedOver = true;
      tellHeir();
    }

    @SuppressWarnings("unchecked") // A VarHandle knows no type arguments.
    private void tellHeir() {
      Outcome outcome = outcome();
      if (outcome != null) {
        Consumer<Outcome> told = (Consumer<Outcome>) HEIR.getAndSet(this, null);
        if (told != null) {
          told.accept(outcome);
        }
      }
    }

    /**
     * Waits until the call has ended; for the thread that made it.
     *
     * @param untilNanos when it stops waiting, on the clock of {@link System#nanoTime}
     * @return null if that is earlier than the end
     */
    @Nullable Outcome await(Session session, long untilNanos) {
      Outcome outcome = outcome();
      while (outcome == null) {
        long now = System.nanoTime();
        long left = Math.min(deadlineNanos() - now, untilNanos - now);
        if (deadlineNanos() - now <= 0) {
          session.giveUp(this, expired());
        } else if (Thread.currentThread().isInterrupted()) {
          session.giveUp(
              this,
              Status.CANCELLED
                  .withDescription("the thread that waited for the answer was interrupted")
                  .withCause(new InterruptedException()));
        } else if (left <= 0) {
          return null;
        } else {
          LockSupport.parkNanos(this, Math.min(left, TimeUnit.DAYS.toNanos(1)));
        }
        outcome = outcome();
      }
      return outcome;
    }
  }

  /** A call whose caller gets a future. */
  static final class Asynchronous extends PendingCall {

    private final Consumer<Outcome> whenEnded;

    /**
     * A call that waits to be sent.
     *
     * @param whenEnded takes the outcome, once, on the thread that ended the call; does not block
     */
    Asynchronous(
        SessionMethod method,
        byte[] request,
        long deadlineNanos,
        Applied ifUnstated,
        Consumer<Outcome> whenEnded) {
      super(method, request, deadlineNanos, ifUnstated);
      this.whenEnded = whenEnded;
    }

    @Override
    void ended(Outcome outcome) {
      whenEnded.accept(outcome);
    }

    @Override
    boolean needsAlarm() {
      return true;
    }
  }
}
