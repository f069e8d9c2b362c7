package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.service.accounts.Identity;
import dev.colonnade.v1.SessionCall;
import io.grpc.Attributes;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call of a session, from its arrival until its answer was sent. It ends once: with its answer,
 * or with the error of its failure, or, if it is cancelled before it has begun, with that.
 *
 * <p>Thread-safe.
 */
final class OpenCall implements Caller, AnswerMemory {

  /** Why a call ends before its work does. */
  private enum Gone {
    CANCELLED,
    LATE
  }

  /**
   * Where the calls of a session come from.
   *
   * @param caller as which account the session is open; null where authentication is off
   * @param connection its attributes
   * @param address where the session comes from, without the port
   */
  record SessionOrigin(@Nullable Identity caller, Attributes connection, String address) {

    /** Of the session that this thread opens. */
    static SessionOrigin of(Attributes connection) {
      return new SessionOrigin(
          CallIdentity.current(), connection, CallIdentity.address(connection));
    }
  }

  /** The message that the call came in, which holds memory until all its calls are done. */
  static final class Origin {
    private final int bytes;
    private final long heldBytes;
    private int calls;

    /**
     * Creates the record of a message.
     *
     * @param bytes its encoded size
     * @param heldBytes of memory
     * @param calls in it
     */
    Origin(int bytes, long heldBytes, int calls) {
      this.bytes = bytes;
      this.heldBytes = heldBytes;
      this.calls = calls;
    }

    /** Its encoded size. */
    int bytes() {
      return bytes;
    }

    /** The memory that it holds. */
    long heldBytes() {
      return heldBytes;
    }

    /** Notes that a call is done; true for the last one. */
    boolean callIsDone() {
      calls--;
      return calls == 0;
    }
  }

  private final Sessions sessions;
  private final SessionCall call;
  private final Origin origin;
  private final @Nullable DataCall<?, ?> kind;
  private final ConnectionMemory connection;
  private final SessionOrigin from;
  private final Consumer<OpenCall> ended;
  private final long startNanos;
  private final long lateNanos;

  // Guarded by this.
  private boolean begun;
  private boolean done;
  private @Nullable Gone gone;
  private @Nullable List<CompletableFuture<?>> reads;
  private long heapBytes;
  private boolean counted;

  // Written before the call has ended, read after that.
  private @Nullable CallContext callContext;
  private @Nullable Object answer;
  private byte @Nullable [] error;

  /**
   * Creates a call that has arrived.
   *
   * @param from who opened the session
   * @param ended receives it when it has ended, on any thread
   */
  OpenCall(
      Sessions sessions,
      SessionCall call,
      Origin origin,
      ConnectionMemory connection,
      SessionOrigin from,
      Consumer<OpenCall> ended) {
    this.sessions = sessions;
    this.call = call;
    this.origin = origin;
    this.kind = sessions.kind(call);
    this.connection = connection;
    this.from = from;
    this.ended = ended;
    this.startNanos = sessions.rpc().clock().monotonicNanos();
    this.lateNanos =
        startNanos + TimeUnit.MILLISECONDS.toNanos(Integer.toUnsignedLong(call.getTimeoutMillis()));
  }

  /** Whether its caller waits for a limited time only. */
  boolean hasTimeout() {
    return call.getTimeoutMillis() != 0;
  }

  /** Whether its caller does not wait any longer. */
  boolean isLate(long nowNanos) {
    return hasTimeout() && nowNanos - lateNanos >= 0;
  }

  long id() {
    return call.getId();
  }

  Origin origin() {
    return origin;
  }

  /** The field of its answer in SessionAnswer. */
  int number() {
    return call.getRequestCase().getNumber();
  }

  /**
   * What it is answered with, an {@link EncodedMessage} or a protobuf message; null if it failed.
   */
  @Nullable Object answer() {
    return answer;
  }

  /** The encoded status that it failed with; null if it succeeded. */
  byte @Nullable [] error() {
    return error;
  }

  /** When it arrived, by the monotonic clock. */
  long startNanos() {
    return startNanos;
  }

  /** The address that it came from. */
  String client() {
    return CallIdentity.address(from.connection());
  }

  /** The context of its work; null if that has not begun. */
  @Nullable CallContext callContext() {
    return callContext;
  }

  /** Whether it has ended. */
  synchronized boolean isDone() {
    return done;
  }

  /** Admits the call, or ends it; false in that case. To be called once, before {@link #run}. */
  boolean admit(boolean tooLarge) {
    ReadyError refusal = refusal(tooLarge);
    if (refusal != null) {
      end(refusal);
      return false;
    }
    return true;
  }

  private @Nullable ReadyError refusal(boolean tooLarge) {
    if (kind == null) {
      return sessions.unknownCall();
    }
    if (tooLarge) {
      return sessions.tooLarge();
    }
    ReadyError denied = sessions.denied(kind, call, from);
    if (denied != null) {
      return denied;
    }
    if (!connection.heap().reserve(MemoryUse.REQUESTS, CallMemory.BASE_HEAP_BYTES)) {
      return sessions.noMemory();
    }
    ReadyError refused = sessions.guard().enterSessionCall();
    if (refused != null) {
      connection.heap().release(MemoryUse.REQUESTS, CallMemory.BASE_HEAP_BYTES);
      return refused;
    }
    synchronized (this) {
      counted = true;
    }
    return null;
  }

  /** Carries out the call; does nothing if it has ended. Must not throw. */
  void run() {
    DataCall<?, ?> work = kind;
    if (work != null && begins(work)) {
      carryOut(work);
    }
  }

  private boolean begins(DataCall<?, ?> work) {
    boolean late = isLate(sessions.rpc().clock().monotonicNanos());
    synchronized (this) {
      if (done) {
        return false;
      }
      begun = !late;
    }
    if (late) {
      end(sessions.rpc().errors().ready(late(), work.write()));
    }
    return !late;
  }

  private <Q, R> void carryOut(DataCall<Q, R> work) {
    RpcContext rpc = sessions.rpc();
    CallContext itsContext =
        new CallContext(
            this,
            this,
            hasTimeout() ? lateNanos - rpc.clock().monotonicNanos() : CallContext.NO_DEADLINE,
            rpc.clock(),
            rpc.nodeId(),
            rpc.settings(),
            trace(rpc));
    callContext = itsContext;
    Then.whenDone(
        Then.called(() -> work.begin(call, itsContext)),
        (value, failure) -> {
          if (failure == null) {
            answer = value;

            end(work, Status.Code.OK);
          } else {
            ReadyError ready = rpc.errors().ready(explained(failure), work.write());
            error = ready.details();
            end(work, ready.status().getCode());
          }
        });
  }

  private CallContext.@Nullable Trace trace(RpcContext rpc) {
    String header = call.getTraceparent();
    return header.isEmpty()
        ? null
        : CallContext.Trace.of(header, rpc.clock(), rpc.nodeId(), startNanos);
  }

  /** A read that was cancelled because it is late fails for that, not for the cancellation. */
  private Throwable explained(Throwable failure) {
    synchronized (this) {
      if (gone != Gone.LATE) {
        return failure;
      }
    }
    return Errors.unwrap(failure) instanceof CancellationException ? late() : failure;
  }

  private static RequestRefusal late() {
    return RequestRefusal.of(
        Status.Code.DEADLINE_EXCEEDED,
        ErrorReasons.REPLICA_TIMEOUT,
        null,
        "the time of the call passed before the node had an answer");
  }

  /** Ends a call that has not begun. */
  private void end(ReadyError why) {
    error = why.details();
    DataCall<?, ?> known = kind;
    if (known == null) {
      end();
    } else {
      end(known, why.status().getCode());
    }
  }

  private void end(DataCall<?, ?> known, Status.Code code) {
    report(known, code);
    end();
  }

  private <Q> void report(DataCall<Q, ?> known, Status.Code code) {
    sessions.metering().ended(known, known.inSession().apply(call), code, this);
  }

  private void end() {
    synchronized (this) {
      done = true;
    }
    ended.accept(this);
  }

  /** Cancels the call: it ends at once if it has not begun, and soon if it is a read. */
  void cancel() {
    leave(Gone.CANCELLED);
  }

  /** Cancels the call because its caller does not wait any longer. */
  void expire() {
    leave(Gone.LATE);
  }

  private void leave(Gone why) {
    DataCall<?, ?> work = kind;
    List<CompletableFuture<?>> wanted;
    boolean waits;
    synchronized (this) {
      if (done || gone != null || work == null) {
        return;
      }
      gone = why;
      // If it has not begun, it must not any more. If it has, its work ends it, perhaps right now.
      waits = !begun;
      done = waits;
      wanted = reads == null ? List.of() : reads;
      reads = null;
    }
    if (waits) {
      end(
          sessions
              .rpc()
              .errors()
              .ready(why == Gone.LATE ? late() : cancelledBefore(), work.write()));
      return;
    }
    wanted.forEach(read -> read.cancel(false));
  }

  private static RequestRefusal cancelledBefore() {
    return RequestRefusal.of(
        Status.Code.CANCELLED,
        ErrorReasons.CANCELLED,
        null,
        "the caller cancelled the call before it had begun");
  }

  @Override
  public synchronized boolean isGone() {
    return gone != null;
  }

  @Override
  public void cancelWhenGone(CompletableFuture<?> read) {
    synchronized (this) {
      if (gone == null) {
        if (reads == null) {
          reads = new ArrayList<>(1);
        }
        reads.removeIf(CompletableFuture::isDone);
        reads.add(read);
        return;
      }
    }
    read.cancel(false);
  }

  @Override
  public boolean holdAnswer(long heap, long encodedBytes) {
    // The encoded answer stays on the heap; the session reserves a message at a time for sending.
    return correctAnswer(heap);
  }

  @Override
  public synchronized boolean correctAnswer(long more) {
    if (more <= 0) {
      connection.heap().release(MemoryUse.ANSWERS, -more);
    } else if (!connection.heap().reserve(MemoryUse.ANSWERS, more)) {
      return false;
    }
    heapBytes += more;
    return true;
  }

  @Override
  public ConnectionMemory connection() {
    return connection;
  }

  /** Gives back what the call held, once its answer was sent or dropped. */
  void release() {
    boolean left;
    synchronized (this) {
      connection.heap().release(MemoryUse.ANSWERS, heapBytes);
      heapBytes = 0;
      left = counted;
      counted = false;
    }
    if (left) {
      connection.heap().release(MemoryUse.REQUESTS, CallMemory.BASE_HEAP_BYTES);
      sessions.guard().leaveSessionCall();
    }
  }
}
