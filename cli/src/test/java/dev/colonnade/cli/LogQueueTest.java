package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Standard error does not take a line for as long as the test wants. */
final class LogQueueTest {

  private static final Logger LOG = LoggerFactory.getLogger(LogQueueTest.class);

  private final ch.qos.logback.classic.Logger root =
      (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);

  /** Another test in this JVM may have installed a queue already. */
  private final List<Appender<ILoggingEvent>> before = new ArrayList<>();

  private final List<String> written = new CopyOnWriteArrayList<>();
  private final CountDownLatch answers = new CountDownLatch(1);

  @BeforeEach
  void hang() {
    AppenderBase<ILoggingEvent> console =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            try {
              assertTrue(answers.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            written.add(event.getFormattedMessage());
          }
        };
    console.setName("console");
    console.setContext(root.getLoggerContext());
    console.start();
    root.iteratorForAppenders().forEachRemaining(before::add);
    before.forEach(root::detachAppender);
    root.addAppender(console);
  }

  @AfterEach
  void restore() {
    root.detachAppender("queue");
    root.detachAppender("console");
    before.forEach(root::addAppender);
  }

  @Test
  void linesThatFindTheQueueFullAreLostAndNoThreadWaits() throws InterruptedException {
    LogQueue.use(LogFormat.TEXT);
    Thread talkative =
        new Thread(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                LOG.error("line {}", i);
              }
            },
            "talkative");
    talkative.start();
    talkative.join(10_000);
    boolean waits = talkative.isAlive();

    answers.countDown();
    talkative.join();
    LogQueue.drain();

    assertFalse(waits, "a thread that logs waits for standard error");
    assertEquals("line 0", written.get(0));
    assertTrue(written.size() < 10_000, written.size() + " lines");
  }

  @Test
  void whoLogsDoesNotWaitForStandardErrorAndItsLinesComeOutInTheEnd() {
    LogQueue.use(LogFormat.TEXT);
    LOG.error("first");
    LOG.error("second");
    assertEquals(List.of(), written);

    answers.countDown();
    LogQueue.drain();

    assertEquals(List.of("first", "second"), written);
  }
}
