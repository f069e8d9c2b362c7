package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class TaskErrorsTest {

  private final List<Throwable> fatal = new ArrayList<>();
  private final TaskErrors errors = new TaskErrors(fatal::add);
  private final CompletableFuture<Void> start = new CompletableFuture<>();

  @Test
  void aStartThatWaitsForAFailedTaskFails() {
    CompletableFuture<Void> either = errors.orError(start);
    assertFalse(either.isDone());
    Error missing = new NoClassDefFoundError("dev/colonnade/Missing");

    errors.accept(missing);

    var failure = assertThrows(ExecutionException.class, either::get);
    assertSame(missing, failure.getCause());
    var told = assertThrows(NodeStartException.class, () -> StartupWait.await(either));
    assertEquals(
        "the node cannot start: java.lang.NoClassDefFoundError: dev/colonnade/Missing"
            + " (an error in the program or its installation; the log shows where)",
        told.getMessage());
    assertEquals(List.of(), fatal);
  }

  @Test
  void anErrorAfterTheStartDoesNotUndoIt() throws Exception {
    CompletableFuture<Void> either = errors.orError(start);
    start.complete(null);

    errors.accept(new AssertionError("later"));

    StartupWait.await(either);
    assertEquals(List.of(), fatal);
  }

  @Test
  void anErrorOfTheMachineEndsTheProcessAtAnyTime() {
    CompletableFuture<Void> either = errors.orError(start);
    start.complete(null);
    assertTrue(either.isDone());
    VirtualMachineError full = new OutOfMemoryError("Java heap space");

    errors.accept(full);

    assertEquals(List.of(full), fatal);
  }

  @Test
  void whatWasThrownWithoutWordsIsNamedByItsKind() {
    start.completeExceptionally(new NullPointerException());
    var told = assertThrows(NodeStartException.class, () -> StartupWait.await(start));
    assertTrue(
        String.valueOf(told.getMessage()).contains("java.lang.NullPointerException"),
        told::toString);
  }
}
