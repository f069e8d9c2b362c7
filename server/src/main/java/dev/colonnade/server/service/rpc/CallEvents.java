package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import io.grpc.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the events of one call one after the other. Most run where they arrive. A {@link Large} one
 * runs on {@link Stage#LARGE}, and events that arrive before it has ended run there too, after it.
 * The event that starts the call's work waits for its connection's turn if the event loop is busy.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>{@code behind} is not null from the moment that an event leaves the transport's thread
 *       until that event, and all that arrived after it meanwhile, have ended. While it is not
 *       null, events of any kind are only added to it, and one thread runs them.
 *   <li>While it is null, events run on the thread that brings them. The transport brings one at a
 *       time, so none can overtake another.
 * </ul>
 *
 * <p>An event that requests the next message causes another thread to bring that message, before
 * the event itself has ended. The end of an event therefore says nothing about the queue behind it;
 * only the queue does.
 *
 * <p>Thread-safe, except that events must be added one at a time.
 */
final class CallEvents {

  /** How long an event that found no memory waits before it retries. */
  private static final Duration AGAIN = Duration.ofMillis(50);

  /** An event of a call. */
  interface CallEvent {
    /**
     * Handles the event.
     *
     * @return what to run after a pause, before any later event; null if nothing
     * @throws IOException if the bytes of a request are malformed
     */
    @Nullable CallEvent run() throws IOException;
  }

  /** An event that takes too long for an event loop. */
  interface Large extends CallEvent {
    /** The size of the message, which counts towards its connection's share of the stage. */
    long bytes();

    /** Releases what it holds if it has not started; its turn then does nothing. */
    void drop();
  }

  private final Scheduler scheduler;
  private final LargeTurns large;
  private final Object connection;
  private final Context context = Context.current();
  private final Consumer<Throwable> failed;
  private final Runnable refused;

  // Guarded by this.
  private @Nullable Queue<CallEvent> behind;
  private @Nullable Large first;

  /**
   * Starts without events, for the current call.
   *
   * @param scheduler for what runs after a pause
   * @param connection whose share of the stage and of the event loop the call uses
   * @param failed receives what an event threw
   * @param refused called if the stage or its timers have no room for an event, which was dropped
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

  /** Runs an event now, or after the unfinished ones. */
  void add(CallEvent event) {
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
    CallEvent rest = runOne(event);
    if (rest != null) {
      synchronized (this) {
        behind = new ArrayDeque<>();
      }
      later(rest);
    }
  }

  /**
   * Runs the event that starts the call's work, when its turn comes.
   *
   * @param loop of the calling thread
   */
  void begin(CallEvent event, LoopTurns loop) {
    boolean free = loop.isFree();
    synchronized (this) {
      if (behind != null) {
        // The event runs after a large request that is on the stage.
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

  /** Releases what the large events that have not started hold, as the caller has gone. */
  void dropLarge() {
    Queue<Large> dropped = new ArrayDeque<>();
    synchronized (this) {
      if (first != null) {
        dropped.add(first);
      }
      if (behind != null) {
        for (CallEvent event : behind) {
          if (event instanceof Large large) {
            dropped.add(large);
          }
        }
      }
    }
    dropped.forEach(Large::drop);
  }

  /** Submits a large event as a turn of its own, so that a stream of them shares the stage. */
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

  private void later(CallEvent rest) {
    try {
      scheduler.after(AGAIN, Stage.LARGE, () -> runFrom(rest));
    } catch (RejectedExecutionException tooManyTimers) {
      refused.run();
      runFrom(next());
    }
  }

  private void runFrom(@Nullable CallEvent event) {
    Context before = context.attach();
    try {
      CallEvent next = event;
      while (next != null) {
        CallEvent rest = runOne(next);
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

  private synchronized @Nullable CallEvent next() {
    first = null;
    CallEvent next = behind == null ? null : behind.poll();
    if (next == null) {
      behind = null;
    }
    return next;
  }

  private @Nullable CallEvent runOne(CallEvent event) {
    try {
      return event.run();
    } catch (IOException | RuntimeException | Error e) {
      // This is not the event loop's thread, so nothing else would catch it.
      failed.accept(e);
      return null;
    }
  }
}
