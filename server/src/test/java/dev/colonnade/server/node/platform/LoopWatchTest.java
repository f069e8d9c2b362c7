package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Watched;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the watchdog is told of event loops. */
final class LoopWatchTest implements Watched.Observer {

  private final EventLoopGroup group = EventLoops.group(2, "colonnade-test");
  private final LoopWatch watch = new LoopWatch("event loops of a test", group);
  private final CountDownLatch release = new CountDownLatch(1);
  private final Map<String, Long> steps = new HashMap<>();
  private final Map<String, String> stacks = new HashMap<>();

  @Override
  public void atWork(String part, String item, long count, Supplier<String> where) {
    assertEquals("event loops of a test", part);
    steps.put(item, count);
    stacks.put(item, where.get());
  }

  @Override
  public void inTurns(String part, String item, long count, Supplier<String> where) {
    throw new AssertionError("a loop goes on without a break");
  }

  @AfterEach
  void stop() {
    release.countDown();
    var unused = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private void look() {
    steps.clear();
    stacks.clear();
    watch.report(this);
  }

  private void await(String loop, long count) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    do {
      assertTrue(System.nanoTime() < deadline, "not so within 30 seconds: " + steps);
      look();
      Thread.onSpinWait();
    } while (count(loop) < count);
  }

  private long count(String loop) {
    return steps.getOrDefault(loop, -1L);
  }

  @Test
  void loopsThatComeRoundMoveAtEachLook() {
    await("loop 1", 3);
    await("loop 2", 3);
  }

  @Test
  void loopsThatHaveEndedAreNotAtWork() throws InterruptedException {
    var unused = group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    look();
    assertTrue(steps.isEmpty(), steps.toString());
  }

  @Test
  void aLoopThatIsHeldDoesNotMoveAndShowsWhere() throws InterruptedException {
    await("loop 1", 1);
    await("loop 2", 1);
    CountDownLatch held = new CountDownLatch(1);
    group
        .iterator()
        .next()
        .execute(
            () -> {
              held.countDown();
              waitHere();
            });
    held.await();
    look();
    long before = count("loop 1");
    await("loop 2", count("loop 2") + 3);
    assertEquals(before, count("loop 1"));
    String stack = stacks.getOrDefault("loop 1", "");
    assertTrue(stack.contains("LoopWatchTest.waitHere"), stack);
  }

  private void waitHere() {
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
