package dev.colonnade.server.node;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what happens to the node when a task ends with an error. Such a task may have left
 * anything half done; acknowledged writes are in the log.
 *
 * <ul>
 *   <li>After an error that the process must not survive ({@link Errors#endsProcess}) it exits,
 *       with the status that the JVM itself uses for lack of heap.
 *   <li>While the node starts, any error of a task fails the start: what the start waits for may
 *       never come.
 *   <li>Later, other errors (a class that is missing in the installation, a failed assertion) are
 *       logged and fail the task's caller, and the node continues.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class TaskErrors implements Consumer<Error> {

  private static final Logger LOG = LoggerFactory.getLogger(TaskErrors.class);

  /** The exit status of {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int EXIT_STATUS = 3;

  private static final long LAST_WORDS_MILLIS = 1_000;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Consumer<Throwable> endProcess;

  /**
   * Starts without errors.
   *
   * @param endProcess ends the process; does not return, except in tests
   */
  TaskErrors(Consumer<Throwable> endProcess) {
    this.endProcess = endProcess;
  }

  /**
   * Creates the handler of a process that runs one node. Errors that end the process are noticed
   * wherever they are caught; on threads outside the stages, by the handler of uncaught errors.
   */
  static TaskErrors ofProcess() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    if (!(before instanceof Fatal)) {
      Thread.setDefaultUncaughtExceptionHandler(new Fatal(before));
    }
    return new TaskErrors(TaskErrors::halt);
  }

  /** Ends the process for fatal errors; passes others to the previous handler. */
  private record Fatal(Thread.@Nullable UncaughtExceptionHandler before)
      implements Thread.UncaughtExceptionHandler {
    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
      if (Errors.endsProcess(thrown)) {
        halt(thrown);
      } else if (before != null) {
        before.uncaughtException(thread, thrown);
      } else {
        LOG.error("thread {} ended", thread.getName(), thrown);
      }
    }
  }

  /**
   * Halts at once: hooks and finally blocks would run in the same broken JVM and may not end. The
   * last message is not waited for long either: standard error may be on a disk that does not
   * answer.
   */
  private static void halt(Throwable error) {
    try {
      String words = "colonnade: " + error + ": the process ends; start it again";
      Thread speaker = new Thread(() -> System.err.println(words), "last-words");
      speaker.setDaemon(true);
      speaker.start();
      speaker.join(LAST_WORDS_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Runtime.getRuntime().halt(EXIT_STATUS);
    }
  }

  @Override
  public void accept(Error error) {
    if (Errors.endsProcess(error)) {
      endProcess.accept(error);
    }
    ended.completeExceptionally(error);
  }

  /** The start, which fails if a task ends with an error before it completes. */
  CompletableFuture<Void> orError(CompletableFuture<Void> start) {
    CompletableFuture<Void> either = new CompletableFuture<>();
    Then.relay(start, either);
    Then.relay(ended, either);
    return either;
  }
}
