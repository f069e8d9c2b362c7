package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.ChannelClass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;

/** One direction between two nodes. */
final class Link {
  /** As production's queue to a peer, in messages of one channel class. */
  static final int PLACES = 10_000;

  private final RandomSource random;
  private final Map<ChannelClass, Flow> flows = new EnumMap<>(ChannelClass.class);
  private final Deque<Runnable> clogged = new ArrayDeque<>();
  private LinkFaults faults = LinkFaults.FAIR;
  private boolean cut;
  private boolean clog;
  private int onTheWay;

  Link(RandomSource random) {
    this.random = random;
  }

  void faults(LinkFaults newFaults) {
    faults = newFaults;
  }

  boolean isCut() {
    return cut;
  }

  void cut(boolean now) {
    cut = now;
  }

  boolean isClogged() {
    return clog;
  }

  /** Messages wait from now on. */
  void clog() {
    clog = true;
  }

  /** Messages flow again; gives those that waited, in order. */
  Deque<Runnable> unclog() {
    clog = false;
    Deque<Runnable> waiting = new ArrayDeque<>(clogged);
    clogged.clear();
    return waiting;
  }

  void waitForFlow(Runnable send) {
    clogged.add(send);
  }

  /** Forgets what waits; gives how much it was. */
  int forgetWaiting() {
    int waiting = clogged.size();
    clogged.clear();
    onTheWay -= waiting;
    return waiting;
  }

  /** Takes a place for a message; false if there is none. */
  boolean take() {
    if (onTheWay >= PLACES) {
      return false;
    }
    onTheWay++;
    return true;
  }

  void arrived() {
    onTheWay--;
  }

  boolean loses() {
    return faults.loss() > 0 && random.nextInt(1_000) < faults.loss();
  }

  boolean doubles() {
    return faults.duplication() > 0 && random.nextInt(1_000) < faults.duplication();
  }

  /** When a message of that size arrives that is sent now. */
  long arrival(long nowNanos, ChannelClass channel, int bytes) {
    Flow flow = flows.computeIfAbsent(channel, l -> new Flow());
    long sent =
        Math.max(nowNanos, flow.freeNanos) + bytes * 1_000_000_000L / faults.bytesPerSecond();
    flow.freeNanos = sent;
    long arrival = sent + faults.delay().toNanos() + below(faults.jitter().toNanos());
    if (faults.tail() > 0 && random.nextInt(1_000) < faults.tail()) {
      arrival += faults.tailDelay().toNanos();
    }
    if (faults.reordering() > 0 && random.nextInt(1_000) < faults.reordering()) {
      return arrival;
    }
    // A connection keeps the order of what goes through it.
    flow.lastNanos = Math.max(flow.lastNanos, arrival);
    return flow.lastNanos;
  }

  /** When the last byte of a channel class left, and when its last message arrives. */
  private static final class Flow {
    private long freeNanos;
    private long lastNanos;
  }

  private long below(long bound) {
    return bound == 0 ? 0 : Math.floorMod(random.nextLong(), bound);
  }
}
