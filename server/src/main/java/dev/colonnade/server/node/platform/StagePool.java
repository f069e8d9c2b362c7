package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler.StageFigures;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The threads and the bounded queue of one stage. */
final class StagePool {
  private final Stage stage;
  private final Consumer<Error> onError;
  private final ThreadPoolExecutor executor;
  private final AtomicInteger started = new AtomicInteger();
  private final Set<StageThread> threads = ConcurrentHashMap.newKeySet();
  private final LongAdder completed = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder failed = new LongAdder();

  StagePool(Stage stage, StageSizes.Size size, Consumer<Error> onError) {
    this.stage = stage;
    this.onError = onError;
    this.executor =
        new ThreadPoolExecutor(
            size.threads(),
            size.threads(),
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(size.queuePlaces()),
            this::thread);
    executor.allowCoreThreadTimeOut(true);
  }

  private Thread thread(Runnable task) {
    String name = "colonnade-" + stage.name().toLowerCase(Locale.ROOT);
    Thread thread = new StageThread(this, task, name + "-" + started.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /**
   * A thread of one stage of one scheduler, which records whether it is working and making
   * progress.
   */
  private static final class StageThread extends Thread {
    private final StagePool pool;
    private volatile boolean working;
    private volatile long steps;
    private volatile long movedNanos;

    StageThread(StagePool pool, Runnable task, String name) {
      super(task, name);
      this.pool = pool;
    }

    @Override
    public void run() {
      pool.threads.add(this);
      try {
        super.run();
      } finally {
        pool.threads.remove(this);
      }
    }

    void works(boolean begins) {
      moved();
      working = begins;
    }

    /** Written by this thread only, so no update is lost. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void moved() {
      steps++;
      movedNanos = System.nanoTime();
    }
  }

  /**
   * Records progress of the calling thread: a file operation has ended, or a part of a long one.
   * Call it wherever a task can spend seconds, so that only threads that are really stuck count as
   * such.
   */
  static void moved() {
    if (Thread.currentThread() instanceof StageThread thread) {
      thread.moved();
    }
  }

  void report(Watched.Observer observer) {
    String part = "stage " + stage.name().toLowerCase(Locale.ROOT);
    for (StageThread thread : threads) {
      if (thread.working) {
        observer.atWork(part, thread.getName(), thread.steps, () -> stack(thread));
      }
    }
  }

  /** The stack of a thread, for messages. */
  static String stack(Thread thread) {
    StringBuilder text = new StringBuilder("thread ").append(thread.getName()).append(" is ");
    text.append(thread.getState());
    for (StackTraceElement element : thread.getStackTrace()) {
      text.append("\n\tat ").append(element);
    }
    return text.toString();
  }

  /** The pool of the calling thread; null if it belongs to no stage. */
  static @Nullable StagePool current() {
    return Thread.currentThread() instanceof StageThread thread ? thread.pool : null;
  }

  Stage stage() {
    return stage;
  }

  static ThreadFactory threads(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  boolean submit(Runnable task) {
    try {
      executor.execute(() -> run(task));
      return true;
    } catch (RejectedExecutionException full) {
      rejected.increment();
      return false;
    } catch (OutOfMemoryError noThread) {
      // Nothing was started; to callers the stage is full.
      rejected.increment();
      Errors.report("no thread could be started for stage " + stage, noThread);
      return false;
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private void run(Runnable task) {
    StageThread thread = (StageThread) Thread.currentThread();
    thread.works(true);
    try {
      task.run();
    } catch (Throwable thrown) {
      // A task's failure ends here: the stage must continue, and nothing else would catch it.
      failed.increment();
      Errors.report(
          "A task of stage " + stage + " failed; the stage continues with the next one", thrown);
      if (thrown instanceof Error error) {
        onError.accept(error);
      }
    } finally {
      thread.works(false);
      completed.increment();
    }
  }

  StageFigures figures() {
    return new StageFigures(
        stage,
        executor.getActiveCount(),
        executor.getQueue().size(),
        completed.sum(),
        rejected.sum(),
        failed.sum(),
        still());
  }

  private Duration still() {
    long now = System.nanoTime();
    long longest = 0;
    for (StageThread thread : threads) {
      long moved = thread.movedNanos;
      if (thread.working) {
        longest = Math.max(longest, now - moved);
      }
    }
    return Duration.ofNanos(longest);
  }

  boolean isShutdown() {
    return executor.isShutdown();
  }

  boolean drain(long limitNanos) throws InterruptedException {
    executor.shutdown();
    return executor.awaitTermination(Math.max(0, limitNanos), TimeUnit.NANOSECONDS);
  }

  void abandon() {
    executor.shutdown();
    executor.getQueue().clear();
  }
}
