package dev.colonnade.cli.local.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a series is read: by windows of 250 ms, stopped at window 4, back at window 40 of 48. */
final class StoppedReplicaTest {

  private static final Duration WINDOW = Duration.ofMillis(250);
  private static final int STOP = 4;
  private static final int BACK = 40;
  private static final int END = 48;
  private static final int CALLS = 100;

  /** Latencies in milliseconds by window. */
  private static StoppedReplica read(IntToLongFunction millis, int failedIn) {
    LatencySeries series = new LatencySeries(0, WINDOW, 2 * END);
    for (int window = 0; window < END; window++) {
      long due = at(window);
      for (int call = 0; call < CALLS; call++) {
        series.answered(due, due + Duration.ofMillis(millis.applyAsLong(window)).toNanos());
      }
      if (window == failedIn) {
        series.failed(due);
      }
    }
    return StoppedReplica.of(series, WINDOW, at(STOP), at(BACK), at(END));
  }

  private static long at(int window) {
    return window * WINDOW.toNanos();
  }

  @Test
  void readsThatNeverSlowDownAreNormalAtOnce() {
    StoppedReplica read = read(window -> 2, -1);
    assertEquals(2, read.normalMillis(), 0.1);
    assertEquals(OptionalLong.of(0), read.recoveredMillis());
    assertTrue(read.recoveredWithin(Duration.ofSeconds(5)));
  }

  @Test
  void recoveryIsWhereTheFirstGoodSecondBegins() {
    StoppedReplica read = read(window -> window >= STOP && window < STOP + 7 ? 30 : 2, -1);
    assertEquals(OptionalLong.of(7 * 250), read.recoveredMillis());
    assertTrue(read.recoveredWithin(Duration.ofSeconds(5)));
    assertFalse(read.recoveredWithin(Duration.ofSeconds(1)));
  }

  @Test
  void readsThatStaySlowAreNotExcusedByTheReplicasReturn() {
    StoppedReplica read = read(window -> window >= STOP && window < BACK ? 30 : 2, -1);
    assertEquals(OptionalLong.empty(), read.recoveredMillis());
    assertFalse(read.recoveredWithin(Duration.ofSeconds(60)));
  }

  @Test
  void aSecondWithAFailedCallIsNotGood() {
    StoppedReplica read = read(window -> 2, STOP + 2);
    assertEquals(OptionalLong.of(3 * 250), read.recoveredMillis());
    assertEquals(1, read.failures());
  }

  @Test
  void windowsAreToldWithWhatTheReplicaDidAndWhen() {
    List<StoppedReplica.Window> windows = read(window -> 2, -1).windows();
    assertEquals(END, windows.size());
    assertEquals(-1_000, windows.get(0).afterStopMillis());
    assertEquals(StoppedReplica.State.RUNNING, windows.get(STOP - 1).state());
    assertEquals(StoppedReplica.State.STOPPED, windows.get(STOP).state());
    assertEquals(StoppedReplica.State.BACK, windows.get(BACK).state());
    assertTrue(IntStream.range(0, END).allMatch(i -> windows.get(i).calls() == CALLS));
  }
}
