package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ReservedTimestampsTest {

  private static final long SEED = 20_261_128L;

  private final SimClock clock = new SimClock();
  private SimFileSystem disk = new SimFileSystem();
  private SimScheduler scheduler = new SimScheduler(clock);

  private IncreasingTimestamps start() throws IOException {
    scheduler = new SimScheduler(clock);
    return new IncreasingTimestamps(
        clock, ReservedTimestamps.open(disk, scheduler, clock.wallMicros()));
  }

  @Test
  void timestampsNeverFallBelowThoseFromBeforeACrash() throws Exception {
    Random random = new Random(SEED);
    long last = Long.MIN_VALUE;
    IncreasingTimestamps timestamps = start();
    timestamps.shareWith(List.of("a", "b", "c"), "b");
    for (int i = 0; i < 20_000; i++) {
      long next = timestamps.nextMicros();
      assertTrue(next > last, "seed " + SEED + ", call " + i + ": " + next + " after " + last);
      last = next;
      clock.advance(Duration.ofMillis(random.nextInt(300)));
      if (random.nextInt(3) == 0) {
        scheduler.runUntilIdle();
      }
      if (random.nextInt(50) == 0) {
        clock.stepWall(Duration.ofSeconds(random.nextInt(7_201) - 3_600L));
      }
      if (random.nextInt(100) == 0) {
        scheduler.runUntilIdle();
        disk = random.nextBoolean() ? disk.crashClone() : disk.copy();
        timestamps = start();
      }
    }
  }

  @Test
  void theyFollowTheClockOnceMoreAreReserved() throws Exception {
    IncreasingTimestamps timestamps = start();
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofMillis(100));
      assertEquals(clock.wallMicros(), timestamps.nextMicros());
      scheduler.runUntilIdle();
    }
    clock.stepWall(Duration.ofHours(1));
    assertEquals(clock.wallMicros(), timestamps.nextMicros(), "after a pause, too");
  }

  /** A node that ran ahead of its clock would win against later writes through other nodes. */
  @Test
  void aRestartGoesByTheClockHoweverSoonItIs() throws Exception {
    for (int millis : new int[] {0, 1, 100, 1_999, 2_001, 5_000}) {
      long given = start().nextMicros();
      scheduler.runUntilIdle();
      disk = disk.crashClone();
      clock.advance(Duration.ofMillis(millis));
      IncreasingTimestamps later = start();
      clock.advance(Duration.ofMillis(1));
      long next = later.nextMicros();
      assertEquals(clock.wallMicros(), next, millis + " ms later");
      assertTrue(next > given);
      scheduler.runUntilIdle();
    }
  }

  @Test
  void theyFollowTheClockWhileTheDiskFails() throws Exception {
    IncreasingTimestamps timestamps = start();
    disk.plan().add(FileFault.ERROR);
    for (int i = 0; i < 100; i++) {
      clock.advance(Duration.ofMillis(100));
      assertEquals(clock.wallMicros(), timestamps.nextMicros());
      scheduler.runUntilIdle();
    }
    disk.plan().clear();
    clock.advance(Duration.ofMillis(100));
    long last = timestamps.nextMicros();
    scheduler.runUntilIdle();
    clock.stepWall(Duration.ofHours(-1));
    disk = disk.crashClone();
    assertTrue(start().nextMicros() > last, "it is reserved once more");
  }

  @Test
  void damageIsRefused() throws Exception {
    start();
    disk.flipBit(ReservedTimestamps.NAME, 8L * 12);
    assertThrows(UnreadableFileException.class, this::start);
  }
}
