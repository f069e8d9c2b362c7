package dev.colonnade.testkit;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The network between the nodes of a test. Clients are not in it: they reach every node that runs.
 *
 * <p>Chance is drawn for each message by the seed; as threads of several nodes draw, the same seed
 * gives the same share, and not the same messages. Thread-safe.
 */
public final class TestNetwork implements AutoCloseable {

  private final List<PeerAddress> places;
  private final ScheduledExecutorService late =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "colonnade-test-network");
            thread.setDaemon(true);
            return thread;
          });

  private final Set<Integer> cut = new HashSet<>();
  private final Set<Integer> gone = new HashSet<>();
  private Random chance = new Random(0);
  private double loss;
  private long delayMinNanos;
  private long delayMaxNanos;

  /** What becomes of a message; a negative delay stands for its loss. */
  private static final long LOST = -1;

  TestNetwork(List<PeerAddress> places) {
    this.places = places;
  }

  /**
   * Separates these nodes from the others; on each side all reach each other. An earlier partition
   * ends.
   *
   * @param indexes as in {@link TestNodes#stop}
   */
  public synchronized void partition(int... indexes) {
    cut.clear();
    for (int index : indexes) {
      cut.add(checked(index));
    }
  }

  /**
   * Loses messages by chance, in addition to a partition.
   *
   * @param share 0 to 1
   * @param seed the same one loses the same share; print it
   */
  public synchronized void lose(double share, long seed) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share is 0 to 1; got " + share);
    }
    loss = share;
    chance = new Random(seed);
  }

  /**
   * Lets each message take a time between these, so that later ones overtake earlier ones.
   *
   * @throws IllegalArgumentException unless 0 ≤ {@code shortest} ≤ {@code longest} ≤ 1 minute
   */
  public synchronized void delay(Duration shortest, Duration longest, long seed) {
    if (shortest.isNegative()
        || shortest.compareTo(longest) > 0
        || longest.compareTo(Duration.ofMinutes(1)) > 0) {
      throw new IllegalArgumentException(
          "messages take 0 to 60 s, the longest as long as the shortest or longer; got "
              + shortest
              + " to "
              + longest);
    }
    delayMinNanos = shortest.toNanos();
    delayMaxNanos = longest.toNanos();
    chance = new Random(seed);
  }

  /** All messages arrive again. */
  public synchronized void heal() {
    cut.clear();
    loss = 0;
    delayMinNanos = 0;
    delayMaxNanos = 0;
  }

  /** No message to or from this node arrives, whatever else is said, until it is back. */
  synchronized void remove(int index) {
    gone.add(index);
  }

  synchronized void restore(int index) {
    gone.remove(index);
  }

  private int checked(int index) {
    if (index < 0 || index >= places.size()) {
      throw new IllegalArgumentException(
          "there are nodes 0 to " + (places.size() - 1) + "; got " + index);
    }
    return index;
  }

  /** How long a message takes, in nanoseconds, or {@link #LOST}. */
  private synchronized long fate(int from, PeerAddress to) {
    int other = places.indexOf(to);
    if (gone.contains(from) || gone.contains(other) || cut.contains(from) != cut.contains(other)) {
      return LOST;
    }
    if (loss > 0 && chance.nextDouble() < loss) {
      return LOST;
    }
    return delayMaxNanos == 0
        ? 0
        : delayMinNanos + (long) (chance.nextDouble() * (delayMaxNanos - delayMinNanos));
  }

  /** The transport of a node as it is with these faults. */
  Transport around(int index, Transport real) {
    return new Faulty(index, real);
  }

  @Override
  public void close() {
    late.shutdownNow();
  }

  private final class Faulty implements Transport {
    private final int index;
    private final Transport real;

    Faulty(int index, Transport real) {
      this.index = index;
      this.real = real;
    }

    @Override
    public boolean send(PeerAddress to, Frame frame) {
      long nanos = fate(index, to);
      if (nanos == LOST) {
        return true;
      }
      if (nanos == 0) {
        return real.send(to, frame);
      }
      try {
        var unused = late.schedule(() -> sendLate(to, frame), nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        // The test is over, and with it the network.
        return false;
      }
      return true;
    }

    /** A partition that came while the message was under way stops it, too. */
    private void sendLate(PeerAddress to, Frame frame) {
      if (fate(index, to) != LOST) {
        real.send(to, frame);
      }
    }

    @Override
    public void receive(FrameReceiver receiver) {
      real.receive(
          new FrameReceiver() {
            @Override
            public void accept(Frame frame) {
              // What the other end had sent before the two were separated.
              if (!isCutOff(frame.from().address())) {
                receiver.accept(frame);
              }
            }

            @Override
            public void unsent(Frame frame) {
              receiver.unsent(frame);
            }

            @Override
            public void broke(PeerAddress peer, ChannelClass channel) {
              receiver.broke(peer, channel);
            }
          });
    }

    private boolean isCutOff(PeerAddress from) {
      synchronized (TestNetwork.this) {
        int other = places.indexOf(from);
        return gone.contains(index)
            || gone.contains(other)
            || cut.contains(index) != cut.contains(other);
      }
    }

    @Override
    public void forget(PeerAddress peer) {
      real.forget(peer);
    }
  }
}
