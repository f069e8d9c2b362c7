package dev.colonnade.server.base.async;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ErrorsTest {

  /** As netty names its own. */
  @SuppressWarnings("serial")
  private static final class OutOfDirectMemoryError extends OutOfMemoryError {
    OutOfDirectMemoryError() {
      super("failed to allocate 4194304 byte(s) of direct memory");
    }
  }

  @Test
  void errorsOfTheMachineEndTheProcess() {
    for (Error fatal :
        List.of(
            new OutOfMemoryError("Java heap space"),
            new OutOfMemoryError("Metaspace"),
            new OutOfMemoryError("GC overhead limit exceeded"),
            new InternalError("a bug"),
            new UnknownError())) {
      assertTrue(Errors.endsProcess(fatal), fatal::toString);
      assertFalse(Errors.isOverload(fatal), fatal::toString);
    }
  }

  @Test
  void whatCouldNotBeginForWantOfSomethingOthersHaveIsAnOverload() {
    for (Error full :
        List.of(
            new OutOfMemoryError(
                "Cannot reserve 1048576 bytes of direct buffer memory (allocated: 1, limit: 2)"),
            new OutOfDirectMemoryError(),
            new OutOfMemoryError("unable to create native thread: possibly out of memory"))) {
      assertTrue(Errors.isOverload(full), full::toString);
      assertFalse(Errors.endsProcess(full), full::toString);
    }
  }

  /** The words are those of the Java machine that runs this. */
  @Test
  void thisMachineSaysSoInWordsThatAreKnown() {
    List<ByteBuffer> held = new ArrayList<>();
    try {
      while (held.size() < 64) {
        held.add(ByteBuffer.allocateDirect(Integer.MAX_VALUE));
      }
    } catch (OutOfMemoryError full) {
      assertTrue(Errors.isOverload(full), full::toString);
      return;
    }
    throw new AssertionError("128 GiB of direct memory were to be had");
  }

  @Test
  void othersTakeTheirTaskOnly() {
    for (Throwable task :
        List.of(
            new StackOverflowError(),
            new NoClassDefFoundError("com/example/Order"),
            new AssertionError("broken"),
            new InternalError(
                "a fault occurred in a recent unsafe memory access operation in compiled Java code"),
            new IllegalStateException("a bug"))) {
      assertFalse(Errors.endsProcess(task), task::toString);
      assertFalse(Errors.isOverload(task), task::toString);
    }
  }

  @Test
  void anErrorThatEndsTheProcessReachesTheHandlerOfItsThreadFromWhereItIsCaught() throws Exception {
    List<Throwable> handled = new ArrayList<>();
    OutOfMemoryError fatal = new OutOfMemoryError("Java heap space");
    Thread thread =
        new Thread(
            () -> {
              Errors.escalate(new NoClassDefFoundError("a plug-in"));
              Errors.report("something could not be done", fatal);
            });
    thread.setUncaughtExceptionHandler((where, thrown) -> handled.add(thrown));
    thread.start();
    thread.join();
    assertEquals(List.of(fatal), handled);
  }
}
