package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Compaction is slow while it keeps up, and faster the more files there are. */
final class CompactionPaceTest {

  private final CompactionPace pace = new CompactionPace(32, 96);

  @Test
  void theLimitIsThatOfEachCompactionWhileThereAreFewFiles() {
    assertEquals(32, pace.bytesPerSecond(0, 0));
    assertEquals(32, pace.bytesPerSecond(1, 11));
    assertEquals(96, pace.bytesPerSecond(3, 11));
  }

  @Test
  void theLimitGrowsWithTheFiles() {
    assertEquals(2 * 32, pace.bytesPerSecond(1, 12));
    assertEquals(3 * 3 * 32, pace.bytesPerSecond(3, 24));
    assertEquals(9 * 32, pace.bytesPerSecond(1, 96));
  }

  @Test
  void theLimitChangesWhileCompactionsRun() {
    pace.bytesPerSecond(10);
    assertEquals(3 * 10, pace.bytesPerSecond(3, 11));
    pace.bytesPerSecond(0);
    assertEquals(0, pace.bytesPerSecond(3, 90));
  }

  @Test
  void noLimitStaysNone() {
    assertEquals(0, new CompactionPace(0, 96).bytesPerSecond(3, 90));
  }
}
