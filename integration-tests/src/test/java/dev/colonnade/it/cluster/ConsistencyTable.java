package dev.colonnade.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.v1.ConsistencyLevel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What each level promises when some of three replicas are down, and known to be down.
 *
 * @param level of the calls
 * @param down how many nodes are
 * @param needs how many replicas have to be up for it
 * @param reads whether it can be read at
 */
record ConsistencyTable(ConsistencyLevel level, int down, int needs, boolean reads) {

  static final int REPLICAS = 3;

  /** All cells, so that nodes go down one after the other. */
  static List<ConsistencyTable> cells() {
    List<ConsistencyTable> cells = new ArrayList<>();
    for (int down = 0; down < REPLICAS; down++) {
      cells.add(cell("ZERO", down, 0, false));
      cells.add(cell("ANY", down, 0, false));
      cells.add(cell("ONE", down, 1, true));
      cells.add(cell("TWO", down, 2, true));
      cells.add(cell("THREE", down, 3, true));
      cells.add(cell("QUORUM", down, 2, true));
      cells.add(cell("LOCAL_QUORUM", down, 2, true));
      cells.add(cell("EACH_QUORUM", down, 2, true));
      cells.add(cell("ALL", down, 3, true));
    }
    return cells;
  }

  private static ConsistencyTable cell(String name, int down, int needs, boolean reads) {
    return new ConsistencyTable(
        ConsistencyLevel.valueOf("CONSISTENCY_LEVEL_" + name), down, needs, reads);
  }

  @Override
  public String toString() {
    return name() + " with " + down + " of " + REPLICAS + " down";
  }

  private String name() {
    return level.name().substring("CONSISTENCY_LEVEL_".length());
  }

  /** A row that was written when the coordinator's node was the only one up. */
  static String keyOfWriteAtOne() {
    return cell("ONE", REPLICAS - 1, 1, true).key();
  }

  int alive() {
    return REPLICAS - down;
  }

  boolean isMet() {
    return alive() >= needs;
  }

  /** A row that is written in this cell alone. */
  String key() {
    return "cell-" + name().toLowerCase(Locale.ROOT) + "-" + down;
  }

  /** Carries out a write, which must succeed just if enough replicas are up. */
  void expectWrite(String what, Runnable write) {
    expect(what + " at " + this, isMet(), write);
  }

  /** The same for a read. */
  void expectRead(String what, Runnable read) {
    if (reads) {
      expect(what + " at " + this, isMet(), read);
    } else {
      CallFailure refusal = refusal(what + " at " + this, read);
      assertEquals(Status.Code.INVALID_ARGUMENT, refusal.code(), refusal::toString);
    }
  }

  private void expect(String what, boolean met, Runnable call) {
    if (met) {
      try {
        call.run();
      } catch (StatusRuntimeException e) {
        fail(what + " was refused: " + CallFailure.of(e));
      }
    } else {
      expectUnavailable(what, needs, alive(), call);
    }
  }

  /** A call that must be refused before anything is sent, saying what is wanting. */
  static void expectUnavailable(String what, int required, int alive, Runnable call) {
    CallFailure refusal = refusal(what, call);
    assertEquals(Status.Code.UNAVAILABLE, refusal.code(), () -> what + ": " + refusal);
    assertEquals("NOT_ENOUGH_REPLICAS", refusal.reason(), () -> what + ": " + refusal);
    assertEquals(required, refusal.number("required"), () -> what + ": " + refusal);
    assertEquals(alive, refusal.number("alive"), () -> what + ": " + refusal);
  }

  /** How a call fails. */
  static CallFailure refusal(String what, Runnable call) {
    try {
      call.run();
    } catch (StatusRuntimeException e) {
      return CallFailure.of(e);
    }
    throw new AssertionError(what + " succeeded");
  }
}
