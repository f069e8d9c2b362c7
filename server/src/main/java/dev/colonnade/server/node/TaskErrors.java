package dev.colonnade.server.node;

import dev.colonnade.server.async.Errors;
import dev.colonnade.server.async.Then;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of the node when something ends with an error and not with an answer. Nobody knows
 * what such an error left half done; what was acknowledged is in the log.
 *
 * <ul>
 *   <li>After an error that the process must not outlive ({@link Errors#endsProcess}) it ends, with
 *       the status that the Java machine itself has for want of heap.
 *   <li>While the node starts, any error of a task fails the start: what the start waits for may
 *       never come.
 *   <li>Later, others (a class that is missing in the installation, a broken assertion) are in the
 *       log, fail what asked for the task, and the node goes on.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class TaskErrors implements Consumer<Error> {

  private static final Logger LOG = LoggerFactory.getLogger(TaskErrors.class);

  /** As {@code -XX:+ExitOnOutOfMemoryError} ends a process. */
  static final int EXIT_STATUS = 3;

  private static final long LAST_WORDS_MILLIS = 1_000;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Consumer<Throwable> endProcess;

  /**
   * No error yet.
   *
   * @param endProcess ends the process; does not return, but in tests
   */
  TaskErrors(Consumer<Throwable> endProcess) {
    this.endProcess = endProcess;
  }

  /**
   * Those of a process that is this node. Errors that end it are heard of wherever they are caught,
   * also on threads that are no stage's, by the handler of uncaught errors.
   */
  static TaskErrors ofProcess() {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    if (!(before instanceof Fatal)) {
      Thread.setDefaultUncaughtExceptionHandler(new Fatal(before));
    }
    return new TaskErrors(TaskErrors::halt);
  }

  /** Ends the process for errors that do; others go where they went before. */
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
   * At once: hooks and finally blocks would run in the same broken machine, and may not end. Not
   * even the last word is waited for long: standard error may be on a disk that does not answer.
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

  /** The start, or its failure if a task ended with an error before it was through. */
  CompletableFuture<Void> orError(CompletableFuture<Void> start) {
    CompletableFuture<Void> either = new CompletableFuture<>();
    Then.relay(start, either);
    Then.relay(ended, either);
    return either;
  }
}
