package dev.colonnade.server.base.async;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a thrown {@link Error} ends.
 *
 * <ul>
 *   <li>The process: no heap left, a bug in the Java machine. Such an error may leave anything half
 *       done, and the next one can occur anywhere.
 *   <li>One operation, as if the node were overloaded: no memory left outside of the heap, no
 *       thread available. The operation was not begun, and others that need none go on.
 *   <li>One operation, as if the disk had failed: a page of a mapped file that cannot be read.
 *   <li>One task: everything else, such as a missing class of a plug-in, a stack overflow and an
 *       assertion.
 * </ul>
 *
 * <p>Thread-safe: it has no state.
 */
public final class Errors {

  private static final Logger LOG = LoggerFactory.getLogger(Errors.class);

  private Errors() {}

  /** Whether the process must end after this. */
  public static boolean endsProcess(Throwable thrown) {
    return thrown instanceof VirtualMachineError
        && !(thrown instanceof StackOverflowError)
        && !isOverload(thrown)
        && !isFaultOfMappedMemory(thrown);
  }

  /**
   * Whether an operation could not begin for want of something that others release: memory outside
   * of the heap, a thread. The Java machine only says so in its message, netty by a class that is
   * not on every class path.
   */
  public static boolean isOverload(Throwable thrown) {
    if (!(thrown instanceof OutOfMemoryError)) {
      return false;
    }
    String message = String.valueOf(thrown.getMessage());
    return message.startsWith("Cannot reserve ")
        || message.startsWith("Direct buffer memory")
        || message.startsWith("unable to create native thread")
        || thrown.getClass().getSimpleName().equals("OutOfDirectMemoryError");
  }

  /** Whether a page of a mapped file could not be read: the disk failed, or the file was cut. */
  public static boolean isFaultOfMappedMemory(Throwable thrown) {
    return thrown instanceof InternalError
        && String.valueOf(thrown.getMessage()).contains("unsafe memory access operation");
  }

  /**
   * Passes an error that ends the process to this thread's handler of uncaught errors, which ends
   * it; does nothing about others. To be called wherever an error is caught and turned into
   * something else.
   *
   * @return {@code thrown}
   */
  public static Throwable escalate(Throwable thrown) {
    if (endsProcess(thrown)) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
    return thrown;
  }

  /** The failure itself, without what a chain of futures wrapped around it. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * Logs a throwable that no caller is left to be told of, and escalates it. Throws nothing, so
   * that code can call it and still release its claims.
   *
   * @param what could not be done, and what that means
   */
  public static void report(String what, Throwable thrown) {
    try {
      LOG.error("{}", what, thrown);
    } catch (RuntimeException | Error inLogging) {
      escalate(inLogging);
    }
    escalate(thrown);
  }
}
