package dev.colonnade.server.service.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.sim.SimClock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Work in turns ends, even if a turn fails unexpectedly. */
class PagedReadTest {

  private final LinkageError error = new NoClassDefFoundError("a comparator's helper");

  private final CompletableFuture<String> first = new CompletableFuture<>();

  /** The first turn is answered by the test, the second one never begins. */
  private final class Failing extends PagedRead<String, String> {
    private final boolean takingFails;
    private int turns;

    Failing(boolean takingFails) {
      super(new SimClock(), Consistency.ONE, Long.MAX_VALUE);
      this.takingFails = takingFails;
    }

    @Override
    public CompletableFuture<String> turn() {
      if (turns++ > 0) {
        throw error;
      }
      return first;
    }

    @Override
    public @Nullable String take(String turn) {
      if (takingFails) {
        throw error;
      }
      return null;
    }
  }

  private void endsWithTheError(boolean takingFails) {
    Failing work = new Failing(takingFails);
    work.begin();
    first.complete("done");
    assertTrue(work.answer().isDone());
    assertEquals(
        error, assertThrows(CompletionException.class, () -> work.answer().join()).getCause());
  }

  @Test
  void anErrorOfALaterTurnIsTold() {
    endsWithTheError(false);
  }

  @Test
  void anErrorInWhatATurnGaveIsTold() {
    endsWithTheError(true);
  }
}
