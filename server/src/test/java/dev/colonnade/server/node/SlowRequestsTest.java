package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.rpc.SlowRequest;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SlowRequestsTest {

  private final SimClock clock = new SimClock();
  private final SlowRequests slow = new SlowRequests(clock);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(SlowRequests.class);

  @BeforeEach
  void listen() {
    log.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
    logger.setLevel(null);
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private static SlowRequest request(String key, CallCost cost) {
    return new SlowRequest(
        "GetSlice",
        "OK",
        "Blog",
        "Users",
        key,
        1,
        "QUORUM",
        812_345_678,
        "10.0.0.9",
        cost,
        2_048,
        "0af7651916cd43dd8448eb211c80319c");
  }

  @Test
  void theLineSaysWhatTheCallWasAndWhatItDid() {
    CallCost cost =
        new CallCost(new AskedReplicas(List.of("a", "b"), List.of("b")), 3, 1, 10, 4, 7, 1, 2, 1);
    slow.add(request("'jsmith'", cost));
    assertEquals(
        List.of(
            "slow request: call=GetSlice took_ms=812 code=OK family=Blog.Users key='jsmith'"
                + " level=QUORUM client=10.0.0.9 answer_bytes=2048 replicas_asked=2"
                + " replicas_answered=1 files=3 blocks_cached=4 blocks_disk=6 tombstones=7 late=1"
                + " digest_mismatches=2 read_repairs=1"
                + " trace=0af7651916cd43dd8448eb211c80319c"),
        lines());
  }

  @Test
  void fewLinesASecondAreLoggedAndTheNextOneCountsTheOthers() {
    for (int i = 0; i < 100; i++) {
      slow.add(request("'" + i + "'", CallCost.NONE));
    }
    assertEquals(SlowRequests.LINES_MAX, lines().size());
    assertFalse(lines().get(SlowRequests.LINES_MAX - 1).contains("more since"));
    clock.advance(Duration.ofSeconds(1));
    slow.add(request("'late'", CallCost.NONE));
    String last = lines().get(SlowRequests.LINES_MAX);
    assertTrue(last.endsWith("80319c (95 more since the last such line)"), last);
    slow.add(request("'later'", CallCost.NONE));
    assertFalse(lines().get(SlowRequests.LINES_MAX + 1).contains("more since"));
    assertEquals(102, slow.total());
  }

  @Test
  void aBoundedNumberIsRemembered() {
    for (int i = 0; i < 2 * SlowRequests.REMEMBERED; i++) {
      slow.add(request("'" + i + "'", CallCost.NONE));
    }
    assertEquals(SlowRequests.REMEMBERED, slow.last().size());
    assertEquals("'99'", slow.last().get(0).request().key());
    assertEquals("'50'", slow.last().get(SlowRequests.REMEMBERED - 1).request().key());
  }
}
