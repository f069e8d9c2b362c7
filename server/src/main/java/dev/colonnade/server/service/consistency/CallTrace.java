package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.TraceCarrier;
import dev.colonnade.server.storage.engine.StoreTrace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Records where one call spends its time, on its coordinator or on a replica. Exists for calls only
 * whose caller samples them; all others have null in its place.
 *
 * <ul>
 *   <li>Times are relative to the arrival of the call, by this node's monotonic clock. Clocks of
 *       nodes are not compared: what a replica tells is placed in the middle between its request
 *       and its answer, as if both ways took equally long.
 *   <li>The number of events is bounded; further ones are counted.
 *   <li>No key, name or value is recorded.
 *   <li>It goes on while the call's work does, perhaps after its answer; what comes later is not
 *       seen by anyone.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class CallTrace {

  /** The most events of a call. */
  public static final int EVENTS_MAX = 256;

  /** The most events that a replica sends back: what it writes is shorter than a frame's trace. */
  static final int REPLICA_EVENTS_MAX = 32;

  private static final int DETAIL_CHARS_MAX = 120;
  private static final int DETAIL_BYTES_MAX = 3 * DETAIL_CHARS_MAX;

  /** What happened. Numbers are between nodes, and those of the contract. */
  public enum Step {
    /** The coordinator began with the call; it has waited for its turn until then. */
    BEGUN(1),
    /** It is decided how many replicas must answer. */
    PLANNED(2),
    REPLICA_ASKED(3),
    /** A replica has not answered for longer than it usually takes. */
    REPLICA_LATE(4),
    REPLICA_ANSWERED(5),
    REPLICA_FAILED(6),
    /** Replicas have different data. */
    DIGESTS_DIFFER(7),
    /** A replica is sent what it lacks. */
    READ_REPAIR(8),
    /** A hint is kept for a replica that does not have the write. */
    HINT(9),
    /** The store's read has waited for a thread that may read the disk. */
    STORE_QUEUED(10),
    STORE_READ(11),
    LOG_APPENDED(12),
    LOG_SYNCED(13),
    MEMTABLE_APPLIED(14),
    /** The answer is encoded. */
    ENCODED(15),
    /** All rows of a bulk load are written, and none of them is visible. */
    LOAD_WRITTEN(16),
    /** The rows of a bulk load are durable and visible. */
    LOAD_COMMITTED(17);

    private static final Step[] ALL = values();

    private final int number;

    Step(int number) {
      this.number = number;
    }

    /** The number between nodes and in the contract. */
    public int number() {
      return number;
    }

    private static @Nullable Step of(long number) {
      return number < 1 || number > ALL.length ? null : ALL[(int) number - 1];
    }
  }

  /**
   * Something that happened.
   *
   * @param nanos when, after the arrival of the call
   * @param durationNanos how long it took, if it took time; it ended at {@code nanos}
   * @param node where, by its id
   * @param peer the node that it is about; empty if it is about none
   * @param detail further words; may be empty
   */
  public record Event(
      Step step, long nanos, long durationNanos, String node, String peer, String detail) {}

  private final Clock clock;
  private final TraceParent parent;
  private final String nodeId;
  private final long startNanos;
  private final int eventsMax;

  // Guarded by this.
  private final List<Event> events = new ArrayList<>();
  private long dropped;

  /**
   * Begins the trace of a call on its coordinator.
   *
   * @param startNanos when the call arrived
   */
  public CallTrace(Clock clock, TraceParent parent, String nodeId, long startNanos) {
    this(clock, parent, nodeId, startNanos, EVENTS_MAX);
  }

  private CallTrace(
      Clock clock, TraceParent parent, String nodeId, long startNanos, int eventsMax) {
    this.clock = clock;
    this.parent = parent;
    this.nodeId = nodeId;
    this.startNanos = startNanos;
    this.eventsMax = eventsMax;
  }

  /**
   * Begins the trace of another coordinator's request, and sends it back with the answer.
   *
   * @return null if the request belongs to no traced call
   */
  public static @Nullable CallTrace of(Request request, Clock clock) {
    TraceParent parent = TraceParent.ofBytes(request.trace());
    if (parent == null) {
      return null;
    }
    CallTrace trace = new CallTrace(clock, parent, "", clock.monotonicNanos(), REPLICA_EVENTS_MAX);
    request.answersTrace(trace::encode);
    return trace;
  }

  /** The W3C's id of the trace. */
  public String traceId() {
    return parent.traceId();
  }

  /** The trace and the caller's span that the call is a part of. */
  public TraceParent parent() {
    return parent;
  }

  /** Records what happens now. */
  public void add(Step step, String peer, String detail) {
    add(step, clock.monotonicNanos(), 0, peer, detail);
  }

  /** Records what ends now and began at a time of the monotonic clock. */
  public void addSince(Step step, long sinceNanos, String peer, String detail) {
    long now = clock.monotonicNanos();
    add(step, now, now - sinceNanos, peer, detail);
  }

  /** Records that the call's work begins: it has waited for its turn since it arrived. */
  public void begin() {
    addSince(Step.BEGUN, startNanos, "", "");
  }

  /**
   * Records that a replica is asked now.
   *
   * @param what it is asked for
   * @return the time, for {@link #ended}
   */
  public long asked(String replica, String what) {
    long now = clock.monotonicNanos();
    add(Step.REPLICA_ASKED, now, 0, replica, what);
    return now;
  }

  /**
   * Records that a replica has answered, or failed. What follows from the result has the event: of
   * the continuations of one future the last is the first to run.
   *
   * @param askedNanos what {@link #asked} returned
   * @return the replica's answer, when it is recorded; cancelling it cancels the request
   */
  public <T> CompletableFuture<T> ended(
      String replica, long askedNanos, CompletableFuture<T> answer) {
    CompletableFuture<T> recorded =
        answer.whenComplete((value, failure) -> ended(replica, askedNanos, failure));
    Futures.cancelWith(recorded, answer);
    return recorded;
  }

  private void ended(String replica, long askedNanos, @Nullable Throwable failure) {
    if (failure == null) {
      addSince(Step.REPLICA_ANSWERED, askedNanos, replica, "");
    } else {
      String why = Errors.unwrap(failure).getMessage();
      addSince(Step.REPLICA_FAILED, askedNanos, replica, why == null ? "" : why);
    }
  }

  private void add(Step step, long nowNanos, long durationNanos, String peer, String detail) {
    add(new Event(step, nowNanos - startNanos, durationNanos, nodeId, peer, shortened(detail)));
  }

  private synchronized void add(Event event) {
    if (events.size() < eventsMax) {
      events.add(event);
    } else {
      dropped++;
    }
  }

  private static String shortened(String detail) {
    return detail.length() <= DETAIL_CHARS_MAX
        ? detail
        : detail.substring(0, DETAIL_CHARS_MAX - 1) + "…";
  }

  /** Listens to one read or write of this node's store, which begins now. */
  public StoreTrace store() {
    return new StoreTrace() {
      private long sinceNanos = clock.monotonicNanos();

      @Override
      public void reached(StoreStep step, String detail) {
        long now = clock.monotonicNanos();
        add(CallTrace.step(step), now, now - sinceNanos, "", detail);
        sinceNanos = now;
      }
    };
  }

  private static Step step(StoreTrace.StoreStep step) {
    return switch (step) {
      case READ_QUEUED -> Step.STORE_QUEUED;
      case READ -> Step.STORE_READ;
      case LOG_APPENDED -> Step.LOG_APPENDED;
      case LOG_SYNCED -> Step.LOG_SYNCED;
      case APPLIED -> Step.MEMTABLE_APPLIED;
    };
  }

  /** Takes the trace to a replica with a request that is sent now, and its events back. */
  public TraceCarrier toReplica(String replica) {
    long asked = clock.monotonicNanos();
    return new TraceCarrier() {
      @Override
      public byte[] request() {
        return parent.toBytes();
      }

      @Override
      public void answered(byte[] told) {
        take(replica, asked, told);
      }
    };
  }

  /** What happened so far, in the order of time. */
  public synchronized List<Event> events() {
    List<Event> sorted = new ArrayList<>(events);
    sorted.sort(Comparator.comparingLong(Event::nanos));
    return sorted;
  }

  /** How many events there were beyond those that are kept. */
  public synchronized long dropped() {
    return dropped;
  }

  /** The events for the coordinator, with the time since the request came. */
  private synchronized byte[] encode() {
    ByteWriter out = new ByteWriter(256);
    out.writeVarint(clock.monotonicNanos() - startNanos);
    out.writeVarint(dropped);
    out.writeVarint(events.size());
    for (Event event : events) {
      out.writeVarint(event.step().number());
      out.writeVarint(event.nanos());
      out.writeVarint(event.durationNanos());
      out.writeText(event.detail());
    }
    return out.toByteArray();
  }

  /** Adds what a replica tells. What cannot be read is counted as dropped: the answer is good. */
  private void take(String replica, long askedNanos, byte[] told) {
    long elapsed = clock.monotonicNanos() - askedNanos;
    List<Event> found = new ArrayList<>();
    long lost = 0;
    try {
      ByteReader in = new ByteReader(told);
      long spent = in.readVarint();
      lost = in.readVarint("dropped events of a trace", Integer.MAX_VALUE);
      int count = in.readVarint("events of a trace", REPLICA_EVENTS_MAX);
      long onTheWay = spent < 0 || spent > elapsed ? 0 : elapsed - spent;
      long zero = askedNanos - startNanos + onTheWay / 2;
      for (int i = 0; i < count; i++) {
        Step step = Step.of(in.readVarint());
        long nanos = in.readVarint();
        long duration = in.readVarint();
        String detail = in.readText("detail of an event", DETAIL_BYTES_MAX);
        // A node's clock is its own: nothing of the request happened before it or after its answer.
        boolean possible = nanos >= 0 && nanos <= elapsed && duration >= 0 && duration <= elapsed;
        if (step == null || !possible) {
          lost++;
        } else {
          found.add(new Event(step, zero + nanos, duration, replica, "", shortened(detail)));
        }
      }
      in.expectEnd("trace of a replica");
    } catch (CorruptDataException e) {
      lost++;
    }
    found.forEach(this::add);
    synchronized (this) {
      dropped += lost;
    }
  }
}
