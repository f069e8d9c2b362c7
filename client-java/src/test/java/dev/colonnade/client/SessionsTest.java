package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.SessionCall;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a client has a session, and how it ends. */
@Timeout(60)
final class SessionsTest {

  private final FakeSessions node = new FakeSessions(ClientOptions.defaults());

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void noCallWaitsForTheSessionToOpen() throws InterruptedException {
    node.family().insert("k", "c", "v");
    assertEquals(1, node.unaryCalls.get());
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Void> write = node.family().async().insert("k", "c", "v");
    stream.answer(FakeSessions.written(stream.takeCall()));
    write.join();
    assertEquals(1, node.unaryCalls.get());
    assertEquals(1, node.opened.get());
  }

  @Test
  void aNodeThatGoesAwayAnswersWhatItHasAndGetsNoMore() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "k");
    SessionCall call = stream.takeCall();
    stream.send(dev.colonnade.v1.SessionResponse.newBuilder().setGoingAway(true));
    assertEquals("half-closed", stream.ends.poll(10, TimeUnit.SECONDS));
    node.awaitNoSession();
    node.family().insert("k", "c", "v");
    assertEquals(1, node.unaryCalls.get());
    assertFalse(read.isDone());
    stream.answer(FakeSessions.rowOf(call));
    assertEquals(Optional.of("k"), read.join());
    stream.complete();

    assertNull(node.client.sessions().current());
    assertEquals(1, node.opened.get());
    node.passTime(Sessions.FIRST_PAUSE_NANOS);
    node.awaitSession();
    assertEquals(2, node.opened.get());
  }

  @Test
  void aNodeWithoutSessionsIsAskedAgainAfterAWhile() throws InterruptedException {
    node.refusal = Status.UNIMPLEMENTED;
    node.family().insert("k", "c", "v");
    Await.until(() -> node.client.sessions().isPausing());
    node.passTime(Sessions.UNSUPPORTED_NANOS / 2 - 1);
    node.family().insert("k", "c", "v");
    assertEquals(1, node.opened.get());
    assertEquals(2, node.unaryCalls.get());
    node.refusal = null;
    node.passTime(Sessions.UNSUPPORTED_NANOS);
    node.awaitSession();
    assertEquals(2, node.opened.get());
  }

  @Test
  void attemptsThatFailBecomeRarer() {
    node.refusal = Status.UNAVAILABLE;
    for (int i = 0; i < 40; i++) {
      assertNull(node.client.sessions().current());
      Await.until(() -> node.client.sessions().isPausing());
      node.passTime(Sessions.FIRST_PAUSE_NANOS);
    }
    assertTrue(node.opened.get() >= 2, "it was not tried again");
    assertTrue(node.opened.get() <= 8, () -> node.opened.get() + " attempts in four seconds");
  }

  @Test
  void closingTheClientWaitsForAnswers() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "k");
    SessionCall call = stream.takeCall();
    Thread closer = new Thread(node.client::close);
    closer.start();
    assertEquals("half-closed", stream.ends.poll(10, TimeUnit.SECONDS));
    stream.answer(FakeSessions.rowOf(call));
    stream.complete();
    assertEquals(Optional.of("k"), read.join());
    closer.join();
    assertThrows(UnavailableException.class, () -> node.family().insert("k", "c", "v"));
    assertEquals(1, node.opened.get());
  }

  @Test
  @Timeout(4)
  void closingTheClientDoesNotWaitForAnswersOfCancelledCalls() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "k");
    stream.takeCall();
    read.cancel(false);
    node.client.close();
    assertEquals("cancelled", stream.ends.poll(10, TimeUnit.SECONDS));
  }

  @Test
  @Timeout(4)
  void closingTheClientDoesNotWaitForCancelledCallsOfAnEarlierSession()
      throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "k");
    stream.takeCall();
    stream.send(dev.colonnade.v1.SessionResponse.newBuilder().setGoingAway(true));
    assertEquals("half-closed", stream.ends.poll(10, TimeUnit.SECONDS));
    read.cancel(false);
    node.client.close();
  }

  @Test
  void closingBeforeTheStreamStartsFailsNoCall() {
    node.beforeStart = () -> node.client.sessions().close();
    node.family().insert("k", "c", "v");
    assertEquals(1, node.unaryCalls.get());
    assertFalse(node.client.sessions().isOpen());
  }

  @Test
  void withoutTheOptionThereIsNoSession() {
    try (FakeSessions other = new FakeSessions(ClientOptions.defaults().withSessions(false))) {
      other.family().insert("k", "c", "v");
      other.family().insert("k", "c", "v");
      assertEquals(2, other.unaryCalls.get());
      assertEquals(0, other.opened.get());
    }
  }
}
