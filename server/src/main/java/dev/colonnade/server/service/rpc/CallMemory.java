package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.memory.MemoryUse;
import io.grpc.Context;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for the memory of one call, from its headers until its stream is closed and its work is
 * done: the incoming message, the request, the answer being built, and the part of the answer that
 * the client has not taken. Memory is reserved before it is used; if a reservation is refused, the
 * call ends.
 *
 * <p>As a tracer it sees the bytes of a message as they arrive, before anything else does.
 * Thread-safe.
 */
final class CallMemory extends ServerStreamTracer implements AnswerMemory {

  /** The context key of a call's memory. */
  static final Context.Key<CallMemory> KEY = Context.key("colonnade-call-memory");

  /**
   * What every call holds: the objects of gRPC and the services, with room for a small request and
   * a small answer, so that most calls reserve memory once.
   */
  static final int BASE_HEAP_BYTES = 8 << 10;

  static final int BASE_DIRECT_BYTES = 8 << 10;

  /** A piece of a message retains the buffer that it arrived in, which is never smaller. */
  private static final int PIECE_BYTES_MIN = 512;

  /** What may be buffered in a stream that reports that it is ready for more. */
  private static final int READY_BYTES = 32 << 10;

  private final ClientMemory owner;
  private volatile ConnectionMemory shares;

  // Guarded by this.
  private boolean started;
  private boolean refusedStart;
  private boolean closed;
  private int works;
  private long baseHeap;
  private long baseDirect;
  private long window;
  private long received;
  private long receivedHeld;
  private long requests;
  private int messageBytes;
  private long answer;
  private long sendingHeld;
  private long sendingUsed;
  private long sentNanos;

  private @Nullable Runnable onRefused;
  private volatile Context.@Nullable CancellableContext context;
  private volatile boolean refused;

  /** What the call is about, once its request was read; nothing until then. */
  private volatile CallSubject.Called subject = CallSubject.Called.NOTHING;

  /** The caller's header traceparent, and when it came; null for most calls. */
  private volatile @Nullable TraceHeader traceHeader;

  /**
   * A header traceparent.
   *
   * @param arrivedNanos when the call arrived, by the monotonic clock
   */
  private record TraceHeader(String text, long arrivedNanos) {}

  /** Of the call's work, once that has begun. */
  private volatile @Nullable CallContext callContext;

  CallMemory(ClientMemory owner, ConnectionMemory shares) {
    this.owner = owner;
    this.shares = shares;
  }

  /** The memory of the current call on this thread. */
  static CallMemory current() {
    return of(Context.current());
  }

  /** The memory of a call. */
  static CallMemory of(Context context) {
    CallMemory memory = KEY.get(context);
    return memory == null ? ClientMemory.unboundedCall() : memory;
  }

  /** Notes what the call is about. */
  <Q> void isAbout(CallSubject<Q> where, Q request) {
    subject = where.of(request);
  }

  /** Notes of which trace the caller says that the call is a part. */
  void isTraced(String header, long arrivedNanos) {
    traceHeader = new TraceHeader(header, arrivedNanos);
  }

  /** The trace that the call is a part of; null if it is of none. */
  CallContext.@Nullable Trace trace(Clock clock, String nodeId) {
    TraceHeader header = traceHeader;
    return header == null
        ? null
        : CallContext.Trace.of(header.text(), clock, nodeId, header.arrivedNanos());
  }

  /** Notes with which context the call's work is done. */
  void worksWith(CallContext itsContext) {
    callContext = itsContext;
  }

  /** The context of the call's work; null while there is none. */
  @Nullable CallContext callContext() {
    return callContext;
  }

  /** What the call is about, as far as that is known. */
  CallSubject.Called subject() {
    return subject;
  }

  @Override
  public Context filterContext(Context root) {
    Context.CancellableContext cancellable = root.withValue(KEY, this).withCancellation();
    context = cancellable;
    return cancellable;
  }

  @Override
  public void serverCallStarted(ServerCallInfo<?, ?> call) {
    shares = owner.sharesOf(call, shares);
    long ahead = owner.aheadBytes(call.getMethodDescriptor());
    synchronized (this) {
      if (closed) {
        return;
      }
      started = true;
      if (!shares.heap().reserve(MemoryUse.REQUESTS, BASE_HEAP_BYTES)) {
        refusedStart = true;
        return;
      }
      baseHeap = BASE_HEAP_BYTES;
      if (!shares.direct().reserve(MemoryUse.RECEIVING, BASE_DIRECT_BYTES + ahead)) {
        refusedStart = true;
        return;
      }
      baseDirect = BASE_DIRECT_BYTES;
      window = ahead;
    }
  }

  /**
   * Sets what ends the call if memory is refused while its message arrives.
   *
   * @return false if there was not enough to start it
   */
  synchronized boolean begin(Runnable whenRefused) {
    onRefused = whenRefused;
    return !refusedStart;
  }

  /**
   * The account that it draws from, usually that of its connection. Known once the call has
   * started.
   */
  @Override
  public ConnectionMemory connection() {
    return shares;
  }

  /** Whether memory was refused to it; the call has ended, or is about to. */
  boolean isRefused() {
    return refused;
  }

  @Override
  public void inboundWireSize(long bytes) {
    if (bytes <= 0) {
      // A transport without wires does not count them.
      return;
    }
    if (!receive(Math.max(PIECE_BYTES_MIN, bytes))) {
      refuse();
    }
  }

  private synchronized boolean receive(long bytes) {
    received += bytes;
    if (closed || refused || received <= BASE_DIRECT_BYTES + receivedHeld) {
      return true;
    }
    // The reservation doubles: of many large messages that arrive at once, those that are behind
    // are refused early, instead of all of them shortly before their end.
    long needed = received - BASE_DIRECT_BYTES - receivedHeld;
    long wished = Math.min(received, owner.maxMessageBytes());
    for (long more : new long[] {Math.max(needed, wished), needed}) {
      if (shares.direct().reserve(MemoryUse.RECEIVING, more)) {
        receivedHeld += more;
        return true;
      }
    }
    return false;
  }

  private void refuse() {
    refused = true;
    Runnable told;
    synchronized (this) {
      told = onRefused;
    }
    if (told != null) {
      told.run();
    }
  }

  /**
   * Reserves what the client may send although nothing is requested of it, for a call that requests
   * messages for most of its time.
   *
   * @return false if there is not enough
   */
  synchronized boolean holdWindow() {
    if (window == 0 && !closed) {
      long ahead = owner.windowBytes();
      if (!shares.direct().reserve(MemoryUse.RECEIVING, ahead)) {
        return false;
      }
      window = ahead;
    }
    return true;
  }

  /** Releases what {@link #holdWindow} reserved. */
  synchronized void releaseWindow() {
    shares.direct().release(MemoryUse.RECEIVING, window);
    window = 0;
  }

  /** Records that the message has arrived and its buffers are free again. */
  synchronized void received() {
    shares.direct().release(MemoryUse.RECEIVING, receivedHeld);
    received = 0;
    receivedHeld = 0;
  }

  /** Reserves heap for a request; false if there is not enough. */
  synchronized boolean holdRequest(long bytes) {
    if (isOver() || !shares.heap().reserve(MemoryUse.REQUESTS, bytes)) {
      return false;
    }
    requests += bytes;
    return true;
  }

  /** Records the encoded size of the message that the service gets next. */
  synchronized void messageIs(int bytes) {
    messageBytes = bytes;
  }

  /** The encoded size of the message that the service got last. */
  synchronized int messageBytes() {
    return messageBytes;
  }

  /** The bytes held for requests and not handed over. */
  synchronized long requestBytes() {
    return requests;
  }

  /**
   * Hands over the bytes held for a request to a stream, which has many requests and releases each
   * with {@link #releaseRequest}.
   */
  synchronized long takeRequest() {
    long taken = requests;
    requests = 0;
    return taken;
  }

  /** Releases what {@link #takeRequest} handed over. */
  void releaseRequest(long bytes) {
    shares.heap().release(MemoryUse.REQUESTS, bytes);
  }

  /** Marks the start of work that may outlast the call and holds its request. */
  synchronized void workBegins() {
    works++;
  }

  /** The end of {@link #workBegins}. */
  synchronized void workEnds() {
    works--;
    releaseWhenOver();
  }

  @Override
  public synchronized boolean holdAnswer(long heapBytes, long encodedBytes) {
    if (isOver() || !shares.heap().reserve(MemoryUse.ANSWERS, heapBytes)) {
      return false;
    }
    if (!shares.direct().reserve(MemoryUse.SENDING, encodedBytes)) {
      shares.heap().release(MemoryUse.ANSWERS, heapBytes);
      return false;
    }
    answer += heapBytes;
    sendingHeld += encodedBytes;
    return true;
  }

  @Override
  public synchronized boolean correctAnswer(long heapBytes) {
    if (isOver()) {
      return true;
    }
    if (heapBytes <= 0) {
      shares.heap().release(MemoryUse.ANSWERS, -heapBytes);
    } else if (!shares.heap().reserve(MemoryUse.ANSWERS, heapBytes)) {
      return false;
    }
    answer += heapBytes;
    return true;
  }

  /** Releases an answer that is discarded. */
  synchronized void dropAnswer() {
    shares.heap().release(MemoryUse.ANSWERS, answer);
    answer = 0;
    trimSending();
  }

  /**
   * Reserves the memory of a message of this size until it is sent; false if there is not enough.
   */
  synchronized boolean holdMessage(long bytes) {
    long needed = sendingUsed + bytes - sendingHeld - BASE_DIRECT_BYTES;
    if (needed > 0) {
      if (isOver() || !shares.direct().reserve(MemoryUse.SENDING, needed)) {
        return false;
      }
      sendingHeld += needed;
    }
    sendingUsed += bytes;
    return true;
  }

  /** The bytes of the call's answer, once it is held for sending. */
  synchronized long sendingBytes() {
    return sendingUsed;
  }

  /** Records that the transport has the message: the objects it was built from are garbage. */
  void handedOver() {
    boolean large;
    synchronized (this) {
      shares.heap().release(MemoryUse.ANSWERS, answer);
      answer = 0;
      trimSending();
      sentNanos = owner.nanos();
      large = !closed && sendingUsed >= ClientMemory.WATCHED_BYTES;
    }
    if (large) {
      owner.watch(this);
    }
  }

  private void trimSending() {
    long most = Math.max(0, sendingUsed - BASE_DIRECT_BYTES);
    if (sendingHeld > most) {
      shares.direct().release(MemoryUse.SENDING, sendingHeld - most);
      sendingHeld = most;
    }
  }

  /**
   * Records that the client has taken all but a little of what it was sent; for calls with many
   * answers.
   */
  void readerCaughtUp() {
    boolean watched;
    synchronized (this) {
      watched = sendingUsed >= ClientMemory.WATCHED_BYTES;
      sendingUsed = Math.min(sendingUsed, READY_BYTES);
      if (answer == 0) {
        trimSending();
      }
    }
    if (watched) {
      owner.unwatch(this);
    }
  }

  /** The time since when the client has not taken what it was sent. */
  synchronized long sentNanos() {
    return sentNanos;
  }

  /** Ends the call at once, whatever is in flight. */
  void abort(String why) {
    Context.CancellableContext cancellable = context;
    if (cancellable != null) {
      cancellable.cancel(Status.DEADLINE_EXCEEDED.withDescription(why).asException());
    }
  }

  @Override
  public void streamClosed(Status status) {
    boolean watched;
    synchronized (this) {
      closed = true;
      watched = sendingUsed >= ClientMemory.WATCHED_BYTES;
      if (started) {
        shares.direct().release(MemoryUse.RECEIVING, receivedHeld + baseDirect + window);
        shares.direct().release(MemoryUse.SENDING, sendingHeld);
      }
      receivedHeld = 0;
      baseDirect = 0;
      window = 0;
      sendingHeld = 0;
      sendingUsed = 0;
      releaseWhenOver();
    }
    if (watched) {
      owner.unwatch(this);
    }
    Context.CancellableContext cancellable = context;
    if (cancellable != null) {
      cancellable.cancel(null);
    }
  }

  /** Whether everything was released: a reservation made now would never be. */
  private boolean isOver() {
    return closed && works == 0;
  }

  /**
   * Releases everything once the call and its work are over; running work keeps its request and its
   * answer.
   */
  private void releaseWhenOver() {
    if (isOver()) {
      shares.heap().release(MemoryUse.REQUESTS, baseHeap + requests);
      shares.heap().release(MemoryUse.ANSWERS, answer);
      shares.direct().release(MemoryUse.SENDING, sendingHeld);
      baseHeap = 0;
      requests = 0;
      answer = 0;
      sendingHeld = 0;
      sendingUsed = 0;
    }
  }
}
