package dev.colonnade.server.rpc;

import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import io.grpc.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of one call, each of which begins after the one before it has ended. Most run where
 * they come; a {@link Large} one runs on {@link Stage#LARGE}, and what comes until it has ended
 * runs there as well, behind it. The one that begins the call's work waits for its connection's
 * turn when the event loop is busy.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>{@code behind} is not null from the moment that an event leaves the thread of the transport
 *       until that event, and all that came after it meanwhile, have ended. While it is not null,
 *       events are only added to it, whatever their kind, and one thread runs them.
 *   <li>While it is null, events run on the thread that brings them. The transport brings one at a
 *       time, so none can overtake another.
 * </ul>
 *
 * <p>An event that asks for the next message brings that message from another thread, before the
 * event itself has ended. So the end of an event says nothing about the queue behind it; only the
 * queue does.
 *
 * <p>Thread-safe, but for the rule that events are added one at a time.
 */
final class CallEvents {

  /** How long an event waits that found no memory. */
  private static final Duration AGAIN = Duration.ofMillis(50);

  /** Something that happened to a call. */
  interface Event {
    /**
     * Deals with it.
     *
     * @return what is left to do in a while, before any later event; null if nothing is
     * @throws IOException if the bytes of a request are not what they should be
     */
    @Nullable Event run() throws IOException;
  }

  /** One that takes too long for an event loop. */
  interface Large extends Event {
    /** Of the message, for its connection's share of the stage. */
    long bytes();

    /** Frees what it holds, if it has not begun; it does nothing when its turn comes. */
    void drop();
  }

  private final Scheduler scheduler;
  private final LargeTurns large;
  private final Object connection;
  private final Context context = Context.current();
  private final Consumer<Throwable> failed;
  private final Runnable refused;

  // Guarded by this.
  private @Nullable Queue<Event> behind;
  private @Nullable Large first;

  /**
   * No events yet, for the call whose context is current.
   *
   * @param scheduler for what is left to do later
   * @param connection whose share of the stage and of the event loop the call takes
   * @param failed hears what an event threw
   * @param refused is told that the stage or its timers have no place for an event, which was
   *     dropped
   */
  CallEvents(
      Scheduler scheduler,
      LargeTurns large,
      Object connection,
      Consumer<Throwable> failed,
      Runnable refused) {
    this.scheduler = scheduler;
    this.large = large;
    this.connection = connection;
    this.failed = failed;
    this.refused = refused;
  }

  /** Runs an event now, or behind those that have not ended. */
  void add(Event event) {
    synchronized (this) {
      if (behind != null) {
        behind.add(event);
        return;
      }
      if (event instanceof Large) {
        behind = new ArrayDeque<>();
      }
    }
    if (event instanceof Large large) {
      handOver(large);
      return;
    }
    Event rest = runOne(event);
    if (rest != null) {
      synchronized (this) {
        behind = new ArrayDeque<>();
      }
      later(rest);
    }
  }

  /**
   * Runs the event that begins the call's work, as soon as it is its turn.
   *
   * @param loop of the thread that is calling
   */
  void begin(Event event, LoopTurns loop) {
    boolean free = loop.isFree();
    synchronized (this) {
      if (behind != null) {
        // Behind a large request, which has its turn on the stage.
        behind.add(event);
        return;
      }
      if (!free) {
        behind = new ArrayDeque<>();
      }
    }
    if (free) {
      loop.run(() -> add(event));
    } else {
      loop.await(connection, () -> runFrom(event));
    }
  }

  /** Frees what the large events hold that have not begun: nobody waits for them any more. */
  void dropLarge() {
    Queue<Large> dropped = new ArrayDeque<>();
    synchronized (this) {
      if (first != null) {
        dropped.add(first);
      }
      if (behind != null) {
        for (Event event : behind) {
          if (event instanceof Large large) {
            dropped.add(large);
          }
        }
      }
    }
    dropped.forEach(Large::drop);
  }

  /** Each large event has a turn of its own, so that a stream of them shares the stage. */
  private void handOver(Large event) {
    synchronized (this) {
      first = event;
    }
    if (!large.submit(connection, event.bytes(), () -> runFrom(event))) {
      event.drop();
      refused.run();
      runFrom(next());
    }
  }

  private void later(Event rest) {
    try {
      scheduler.after(AGAIN, Stage.LARGE, () -> runFrom(rest));
    } catch (RejectedExecutionException tooManyTimers) {
      refused.run();
      runFrom(next());
    }
  }

  private void runFrom(@Nullable Event event) {
    Context before = context.attach();
    try {
      Event next = event;
      while (next != null) {
        Event rest = runOne(next);
        if (rest != null) {
          later(rest);
          return;
        }
        next = next();
        if (next instanceof Large large) {
          handOver(large);
          return;
        }
      }
    } finally {
      context.detach(before);
    }
  }

  private synchronized @Nullable Event next() {
    first = null;
    Event next = behind == null ? null : behind.poll();
    if (next == null) {
      behind = null;
    }
    return next;
  }

  private @Nullable Event runOne(Event event) {
    try {
      return event.run();
    } catch (IOException | RuntimeException | Error e) {
      // The event loop is not there to hear of it.
      failed.accept(e);
      return null;
    }
  }
}
