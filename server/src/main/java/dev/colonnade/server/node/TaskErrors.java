package dev.colonnade.server.node;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What becomes of the node when a task of a stage ends with an error and not with an answer. Nobody
 * knows what such an error left half done; what was acknowledged is in the log.
 *
 * <ul>
 *   <li>After an error of the virtual machine (no memory, no stack, a bug in it) the process ends.
 *   <li>While the node starts, any error fails the start: what the start waits for may never come.
 *   <li>Later, others (a class that is missing in the installation, a broken assertion) are in the
 *       log, fail what asked for the task, and the node goes on.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class TaskErrors implements Consumer<Error> {

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Consumer<VirtualMachineError> endProcess;

  /**
   * No error yet.
   *
   * @param endProcess ends the process; does not return, but in tests
   */
  TaskErrors(Consumer<VirtualMachineError> endProcess) {
    this.endProcess = endProcess;
  }

  /** Those of a process that is this node. */
  static TaskErrors ofProcess() {
    return new TaskErrors(TaskErrors::halt);
  }

  /** At once: hooks and finally blocks would run in the same broken machine, and may not end. */
  private static void halt(VirtualMachineError error) {
    try {
      System.err.println("colonnade: " + error + ": the process ends; start it again");
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }

  @Override
  public void accept(Error error) {
    if (error instanceof VirtualMachineError fatal) {
      endProcess.accept(fatal);
    }
    ended.completeExceptionally(error);
  }

  /** The start, or its failure if a task ended with an error before it was through. */
  CompletableFuture<Void> orError(CompletableFuture<Void> start) {
    CompletableFuture<Void> either = new CompletableFuture<>();
    pass(start, either);
    pass(ended, either);
    return either;
  }

  private static void pass(CompletableFuture<Void> from, CompletableFuture<Void> to) {
    var unused =
        from.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                to.complete(null);
              } else {
                to.completeExceptionally(failure);
              }
            });
  }
}
