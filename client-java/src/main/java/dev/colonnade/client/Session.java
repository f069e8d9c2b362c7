package dev.colonnade.client;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import dev.colonnade.v1.SessionLimits;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Many small calls on one stream to a node. Thread-safe.
 *
 * <p>A caller puts its encoded call into a queue. A call that is alone is sent by its caller. While
 * others are under way the network's thread sends all that is in the queue as one message, once it
 * has done what it was doing: as that is mostly waking callers, whose next calls come meanwhile,
 * the calls of several threads share a message, and none waits for others to come. The network's
 * thread takes the answers, several in a message, and wakes their callers, who decode them.
 *
 * <p>What is sent and not answered is bounded by the node's limits, in calls and bytes, and by the
 * transport's buffer. What exceeds them stays in the queue. A blocking caller waits there, within
 * its deadline; asynchronous calls have room for {@link #MAX_QUEUED_BYTES}.
 *
 * <p>Three other designs cost more: each caller sends unless another one is sending, so that most
 * messages have one call; a thread of its own that sends, which is one more thread to wake for
 * every message; and a message for each call.
 */
final class Session {

  /** Is told what becomes of a session. Its methods run on the network's thread, or a caller's. */
  interface Owner {

    /** The node takes calls. */
    void opened(Session session);

    /** The session takes no more calls: the node is about to stop. */
    void left(Session session);

    /** The stream has ended. */
    void ended(Session session, Status status);
  }

  /**
   * The most bytes of asynchronous calls in the queue, with {@link #QUEUED_CALL_BYTES} for each: no
   * caller waits for room, so without a limit a program that is faster than the node would fill the
   * heap. 16 MiB is over a second of small calls.
   */
  static final long MAX_QUEUED_BYTES = 16L << 20;

  /** The memory of an asynchronous call beside its request. */
  static final int QUEUED_CALL_BYTES = 512;

  /** The most calls without an answer, whatever the node allows: 64 KiB of references. */
  private static final int MAX_CALLS = 8_192;

  /** The longest message: enough for fifty calls of 1 KiB, and no delay for the first of them. */
  private static final int MAX_MESSAGE_BYTES = 64 << 10;

  private enum State {
    OPENING,
    OPEN,
    LEAVING,
    ENDED
  }

  private final Owner owner;
  private final Executor network;
  private final ClientCall<byte[], byte[]> stream;
  private final DeadlineAlarm alarm = new DeadlineAlarm(this::expire);

  private final ConcurrentLinkedQueue<PendingCall> queue = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Long> cancellations = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();

  /**
   * How many threads have asked for a turn of the sender since it began; 0: none is sending. The
   * thread that opens the stream has the first turn: gRPC allows nothing before the stream starts.
   */
  private final AtomicInteger turns = new AtomicInteger(1);

  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicLong unansweredBytes = new AtomicLong();

  private volatile State state = State.OPENING;
  private volatile Status end = Status.OK;
  private volatile boolean closing;

  // Set before the session is open, and not changed after that.
  private int maxCalls;
  private long maxBytes;
  private int maxMessageBytes;

  /** Calls that are sent, by the low bits of their numbers; twice as many places as calls. */
  private AtomicReferenceArray<PendingCall> sent = new AtomicReferenceArray<>(0);

  // Belong to the thread whose turn it is to send.
  private final List<PendingCall> batch = new ArrayList<>();
  private final List<Long> cancelled = new ArrayList<>();
  private long lastId;
  private boolean halfClosed;

  /**
   * A session that begins to open.
   *
   * @param network runs tasks one after another, on the thread that brings the answers if it can
   */
  Session(Channel channel, Executor network, Owner owner) {
    this.owner = owner;
    this.network = network;
    // The network's thread does the little that there is to do for an answer itself.
    this.stream =
        channel.newCall(
            SessionCodec.METHOD, CallOptions.DEFAULT.withExecutor(MoreExecutors.directExecutor()));
  }

  /** Opens the stream; once. */
  void open() {
    stream.start(new Answers(), new Metadata());
    stream.request(2);
    takeTurn();
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Sends a call as soon as there is room for it. It ends unsent if the session does not last. */
  void submit(PendingCall.Blocking call) {
    queue.add(call);
    send();
  }

  /** The same for a call whose caller does not wait; without room in the queue it fails at once. */
  void submit(PendingCall.Asynchronous call) {
    long bytes = queuedBytes(call);
    if (queuedBytes.addAndGet(bytes) > MAX_QUEUED_BYTES) {
      queuedBytes.addAndGet(-bytes);
      boolean unused =
          call.giveUp(
              Status.RESOURCE_EXHAUSTED.withDescription(
                  "calls of more than "
                      + MAX_QUEUED_BYTES
                      + " bytes wait to be sent to the node; wait for some of their answers"
                      + " first"));
      return;
    }
    queue.add(call);
    send();
    alarm.set(call.deadlineNanos());
  }

  /** Watches the deadline of a call whose caller has stopped waiting, and handed it over. */
  void watch(PendingCall.Blocking call) {
    alarm.set(call.deadlineNanos());
  }

  /** Ends a call for a caller that does not wait any longer, and tells the node. */
  void giveUp(PendingCall call, Status why) {
    if (call.giveUp(why)) {
      cancellations.add(call.id());
      send();
    } else {
      boolean unused = taken(call);
    }
  }

  /** Takes no more calls; those that were sent are still answered. */
  void leave() {
    if (advance(State.OPEN, State.LEAVING) || advance(State.OPENING, State.LEAVING)) {
      owner.left(this);
      send();
    }
  }

  private synchronized boolean advance(State from, State to) {
    if (state != from) {
      return false;
    }
    state = to;
    return true;
  }

  private synchronized void end() {
    state = State.ENDED;
  }

  /** The same for a client that is closed: the stream ends once no caller waits for an answer. */
  void close() {
    closing = true;
    leave();
    send();
  }

  private static long queuedBytes(PendingCall.Asynchronous call) {
    return (long) QUEUED_CALL_BYTES + call.request().length;
  }

  /** Ends asynchronous calls whose deadline has passed; blocking callers look for themselves. */
  private void expire() {
    long now = System.nanoTime();
    // First the queue: a call that is sent is among those sent before it leaves the queue.
    queue.forEach(call -> expire(call, now));
    AtomicReferenceArray<PendingCall> calls = sent;
    for (int i = 0; i < calls.length(); i++) {
      PendingCall call = calls.get(i);
      if (call != null) {
        expire(call, now);
      }
    }
  }

  private void expire(PendingCall call, long now) {
    if (call.needsAlarm() && call.outcome() == null) {
      if (call.deadlineNanos() - now <= 0) {
        giveUp(call, PendingCall.expired());
      } else {
        alarm.set(call.deadlineNanos());
      }
    }
  }

  /**
   * Has what is in the queue sent: by the thread that is sending, by this thread if no call is
   * under way and so none would share the message, else by the network's thread.
   */
  private void send() {
    if (turns.getAndIncrement() == 0) {
      if (unanswered.get() == 0) {
        takeTurn();
      } else {
        takeTurnSoon();
      }
    }
  }

  private void takeTurnSoon() {
    try {
      network.execute(this::takeTurn);
    } catch (RejectedExecutionException closed) {
      // The client was closed meanwhile: the turn ends what is left.
      takeTurn();
    }
  }

  private void takeTurn() {
    int asked = turns.get();
    try {
      turn();
    } catch (RuntimeException e) {
      stream.cancel("a message could not be sent", e);
    }
    if (turns.addAndGet(-asked) != 0) {
      takeTurnSoon();
    }
  }

  private void turn() {
    switch (state) {
      case OPENING -> {}
      case OPEN -> {
        while (stream.isReady() && fillBatch()) {
          byte[] message = SessionCodec.encode(batch, cancelled, System.nanoTime());
          batch.clear();
          cancelled.clear();
          stream.sendMessage(message);
        }
      }
      case LEAVING -> {
        returnQueued();
        if (closing && unanswered.get() > 0 && !isAwaited()) {
          stream.cancel("the client was closed", null);
        } else if (!halfClosed) {
          halfClosed = true;
          stream.halfClose();
        }
      }
      case ENDED -> {
        returnQueued();
        breakOffSent();
      }
    }
  }

  /** Takes from the queue what one message and the node have room for; false if that is nothing. */
  private boolean fillBatch() {
    int bytes = 0;
    int calls = maxCalls - unanswered.get();
    long room = maxBytes - unansweredBytes.get();
    Long id = cancellations.peek();
    while (id != null && bytes + SessionCodec.CANCELLATION_BYTES <= maxMessageBytes) {
      bytes += SessionCodec.CANCELLATION_BYTES;
      cancelled.add(id);
      cancellations.remove();
      id = cancellations.peek();
    }
    PendingCall call = queue.peek();
    while (call != null && batch.size() < calls) {
      int length = bytes(call);
      if (length > room || bytes + length > maxMessageBytes) {
        break;
      }
      int place = place(nextId());
      call.number(lastId);
      // Before it leaves the queue: a sweep looks there first, and finds it in one of the two.
      sent.set(place, call);
      if (taken(call) && call.send()) {
        batch.add(call);
        bytes += length;
        room -= length;
      } else {
        sent.set(place, null);
      }
      call = queue.peek();
    }
    int begun = batch.size();
    if (begun > 0) {
      unanswered.addAndGet(begun);
      unansweredBytes.addAndGet(batch.stream().mapToLong(Session::bytes).sum());
    }
    return bytes > 0;
  }

  /**
   * Whether a caller waits for an answer; the node owes answers to calls that were given up, too.
   */
  private boolean isAwaited() {
    for (int i = 0; i < sent.length(); i++) {
      PendingCall call = sent.get(i);
      if (call != null && call.outcome() == null) {
        return true;
      }
    }
    return false;
  }

  private static int bytes(PendingCall call) {
    return call.request().length + call.traceparent().length() + SessionCodec.CALL_OVERHEAD_BYTES;
  }

  /** Takes a call out of the queue; false if it was not there any more. */
  private boolean taken(PendingCall call) {
    boolean there = queue.remove(call);
    if (there && call instanceof PendingCall.Asynchronous asynchronous) {
      queuedBytes.addAndGet(-queuedBytes(asynchronous));
    }
    return there;
  }

  /** The next number whose place is free: a call that takes long keeps its place. */
  private long nextId() {
    long id = lastId;
    do {
      id++;
    } while (sent.get(place(id)) != null);
    lastId = id;
    return id;
  }

  private int place(long id) {
    return (int) (id & (sent.length() - 1));
  }

  private void returnQueued() {
    for (PendingCall call = queue.peek(); call != null; call = queue.peek()) {
      if (taken(call)) {
        call.returnUnsent();
      }
    }
    cancellations.clear();
  }

  private void breakOffSent() {
    Status why = end;
    for (int i = 0; i < sent.length(); i++) {
      PendingCall call = sent.getAndSet(i, null);
      if (call != null) {
        call.breakOff(why);
      }
    }
  }

  private final class Answers extends ClientCall.Listener<byte[]> implements SessionCodec.Receiver {

    private int answered;
    private long answeredBytes;

    @Override
    public void onReady() {
      send();
    }

    @Override
    public void onMessage(byte[] message) {
      answered = 0;
      answeredBytes = 0;
      try {
        SessionCodec.decode(message, this);
      } catch (IOException e) {
        stream.cancel("a message of the session could not be decoded", e);
        return;
      }
      unanswered.addAndGet(-answered);
      unansweredBytes.addAndGet(-answeredBytes);
      stream.request(1);
      if (closing || !queue.isEmpty()) {
        send();
      }
    }

    @Override
    public void limits(SessionLimits limits) {
      if (state != State.OPENING) {
        return;
      }
      maxCalls = (int) Math.min(Integer.toUnsignedLong(limits.getMaxCalls()), MAX_CALLS);
      maxBytes = limits.getMaxBytes();
      maxMessageBytes =
          (int) Math.min(Integer.toUnsignedLong(limits.getMaxMessageBytes()), MAX_MESSAGE_BYTES);
      if (maxCalls == 0
          || Math.min(maxBytes, maxMessageBytes) < 2L * SessionMethod.MAX_REQUEST_BYTES) {
        leave();
        return;
      }
      sent = new AtomicReferenceArray<>(2 * Integer.highestOneBit(2 * maxCalls - 1));
      if (advance(State.OPENING, State.OPEN)) {
        owner.opened(Session.this);
      }
    }

    @Override
    public void answer(long id, int field, ByteString bytes, boolean last) {
      int place = sent.length() == 0 ? -1 : place(id);
      PendingCall call = place < 0 ? null : sent.get(place);
      if (call == null || call.id() != id) {
        return;
      }
      if (!last) {
        call.addPiece(bytes);
        return;
      }
      sent.set(place, null);
      answered++;
      answeredBytes += bytes(call);
      call.answer(field, bytes);
    }

    @Override
    public void goingAway() {
      leave();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end =
          Status.UNAVAILABLE
              .withDescription(
                  "the session with the node ended before the answer came: "
                      + (status.getDescription() == null
                          ? status.getCode()
                          : status.getCode() + ", " + status.getDescription()))
              .withCause(status.getCause());
      end();
      owner.ended(Session.this, status);
      send();
    }
  }
}
