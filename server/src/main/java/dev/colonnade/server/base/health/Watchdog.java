package dev.colonnade.server.base.health;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds stalled work: a read that the disk does not answer, a task that never ends, an event loop
 * that waits for a lock, a queue that is not drained.
 *
 * <p>Work without progress for longer than the limit raises {@link Condition#STALLED} for its part
 * of the node, and is logged with its stack; when everything in that part progresses again, the
 * condition is cleared. Nothing is interrupted: the effect of an interrupted file operation would
 * be unknown.
 *
 * <p>Time counts only between two checks in quick succession: if the whole process was paused
 * (SIGSTOP, garbage collection), none of its parts is to blame.
 *
 * <p>{@link #look} belongs to one thread, which must not be one of the watched threads; the rest is
 * thread-safe.
 */
public final class Watchdog {

  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

  /** Time between checks. */
  public static final Duration PERIOD = Duration.ofSeconds(1);

  /** The most that counts for the time between two checks. */
  private static final Duration GAP_MAX = PERIOD.multipliedBy(2);

  /**
   * How much longer the limit is for work that waits for its turn between steps: the longest task
   * that it may have to wait for, the building of a large key index, takes minutes.
   */
  private static final int TURNS_FACTOR = 30;

  /** How much of a stack is logged. */
  private static final int WHERE_CHARACTERS_MAX = 8_000;

  private final Health health;
  private final Clock clock;
  private volatile Duration limit;
  private final List<Watched> watched = new CopyOnWriteArrayList<>();
  private final AtomicLong stalls = new AtomicLong();

  // Used by the checking thread only.
  private final Map<Item, Pace> known = new HashMap<>();
  private final Set<String> stalledParts = new HashSet<>();
  private long lastNanos;
  private boolean looked;

  private record Item(String part, String name) {}

  /** The progress of one item. */
  private static final class Pace {
    private long steps;
    private long stoodNanos;
    private boolean told;
    private boolean seen;
  }

  /**
   * Creates a watchdog without parts to watch.
   *
   * @param limit work without progress for longer is stalled
   */
  public Watchdog(Health health, Clock clock, Duration limit) {
    this.health = health;
    this.clock = clock;
    this.limit = limit;
  }

  /** Changes how long work may make no progress before it is stalled. */
  public void limit(Duration changed) {
    limit = changed;
  }

  /** Watches this part, too. */
  public void watch(Watched part) {
    watched.add(part);
  }

  /** How many stalls were found. */
  public long stalls() {
    return stalls.get();
  }

  /** Checks everything; to be called once per {@link #PERIOD}. Throws nothing. */
  public void look() {
    long now = clock.monotonicNanos();
    long gap = looked ? Math.min(now - lastNanos, GAP_MAX.toNanos()) : 0;
    lastNanos = now;
    looked = true;
    ProgressCheck look = new ProgressCheck(gap);
    for (Watched part : watched) {
      try {
        part.report(look);
      } catch (RuntimeException | Error e) {
        // The other parts must be checked nevertheless.
        LOG.error("a part of the node could not report its progress", e);
      }
    }
    look.end();
  }

  /** One check of everything. */
  private final class ProgressCheck implements Watched.Observer {
    private final long gapNanos;
    private final Map<String, List<Long>> stalled = new TreeMap<>();
    private final List<String> words = new ArrayList<>();

    ProgressCheck(long gapNanos) {
      this.gapNanos = gapNanos;
    }

    @Override
    public void atWork(String part, String item, long steps, Supplier<String> where) {
      see(new Item(part, item), steps, limit.toNanos(), where);
    }

    @Override
    public void inTurns(String part, String item, long steps, Supplier<String> where) {
      see(new Item(part, item), steps, limit.toNanos() * TURNS_FACTOR, where);
    }

    private void see(Item item, long steps, long limitNanos, Supplier<String> where) {
      Pace pace = known.get(item);
      if (pace == null || pace.steps != steps) {
        pace = new Pace();
        pace.steps = steps;
        known.put(item, pace);
      } else if (!pace.seen) {
        pace.stoodNanos += gapNanos;
      }
      pace.seen = true;
      if (pace.stoodNanos > limitNanos) {
        stalled.computeIfAbsent(item.part(), none -> new ArrayList<>()).add(limitNanos);
        if (!pace.told) {
          pace.told = true;
          stalls.incrementAndGet();
          words.add(describe(item, pace, where));
        }
      }
    }

    /** Described now: a moment later it may be elsewhere. */
    private static String describe(Item item, Pace pace, Supplier<String> where) {
      return (item.name().isEmpty() ? item.part() : item.part() + " (" + item.name() + ")")
          + " has made no progress for "
          + pace.stoodNanos / 1_000_000_000L
          + " s; "
          + cut(where.get());
    }

    private static String cut(String text) {
      return text.length() <= WHERE_CHARACTERS_MAX
          ? text
          : text.substring(0, WHERE_CHARACTERS_MAX) + " ...";
    }

    void end() {
      known.values().removeIf(pace -> !pace.seen);
      known.values().forEach(pace -> pace.seen = false);
      stalled.forEach(this::raise);
      // Logged only now: the log may be on the very disk that hangs.
      words.forEach(LOG::error);
      for (String part : List.copyOf(stalledParts)) {
        if (!stalled.containsKey(part)) {
          stalledParts.remove(part);
          health.clear(Condition.STALLED, part);
          LOG.info("{} makes progress again", part);
        }
      }
    }

    /** In words that stay the same while the stall lasts: they are sent to all nodes. */
    private void raise(String part, List<Long> limits) {
      stalledParts.add(part);
      long seconds = Duration.ofNanos(limits.get(0)).toSeconds();
      health.raise(
          Condition.STALLED,
          part,
          Impact.UNFAVOURABLE,
          limits.size() == 1
              ? "has made no progress for more than " + seconds + " s"
              : limits.size()
                  + " of its tasks have made no progress for more than "
                  + seconds
                  + " s");
    }
  }
}
