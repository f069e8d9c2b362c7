package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.SimClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The decoding of a large request ends when its caller goes, wherever it is by then. */
final class WatchedComparatorTest {

  private static final int CHANGES = 20_000;

  /** A caller that goes at the n-th look. */
  private static final class Leaving implements Caller, AnswerMemory {
    private final int looksUntilGone;
    private int looks;

    Leaving(int looksUntilGone) {
      this.looksUntilGone = looksUntilGone;
    }

    @Override
    public boolean isGone() {
      return ++looks >= looksUntilGone;
    }

    @Override
    public void cancelWhenGone(CompletableFuture<?> read) {
      throw new AssertionError("nothing is read");
    }

    @Override
    public boolean holdAnswer(long heapBytes, long encodedBytes) {
      throw new AssertionError("nothing is answered");
    }

    @Override
    public boolean correctAnswer(long heapBytes) {
      throw new AssertionError("nothing is answered");
    }

    @Override
    public ConnectionMemory connection() {
      throw new AssertionError("nothing is answered");
    }
  }

  private static RowUpdate update(Leaving caller) {
    PathOrder plain = new PathOrder(ColumnComparators.BYTES, null);
    CallContext call =
        new CallContext(
            caller,
            caller,
            CallContext.NO_DEADLINE,
            new SimClock(),
            "node",
            RpcSettings.defaults(),
            null);
    RowUpdate.Builder update = RowUpdate.builder(WatchedComparator.order(plain, call));
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, new Random(1));
    for (int number : numbers) {
      byte[] name = String.format("%08d", number).getBytes(StandardCharsets.US_ASCII);
      byte[] behind = String.format("%08d", number + 50).getBytes(StandardCharsets.US_ASCII);
      update.add(Cell.live(name, null, name, number));
      update.deleteRange(
          new PathRange(Bound.before(name), Bound.after(behind)), new DeletionTime(number % 50, 9));
    }
    return update.build();
  }

  @Test
  void nothingOfARequestIsDecodedOnceItsCallerHasGone() {
    Leaving staying = new Leaving(Integer.MAX_VALUE);
    RowUpdate whole = update(staying);
    assertEquals(CHANGES, whole.cells().size());
    assertTrue(staying.looks > 1_000, "looks: " + staying.looks);
    for (int looks = 1; looks < staying.looks; looks += staying.looks / 20) {
      Leaving leaving = new Leaving(looks);
      assertThrows(CancellationException.class, () -> update(leaving));
      assertEquals(looks, leaving.looks);
    }
  }
}
