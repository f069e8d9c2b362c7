package dev.colonnade.server.cluster.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.sim.MemoryNetwork;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes, a controlled network, and time that passes only when told. */
final class MessengerTest {
  private static final Peer A = new Peer("a", new PeerAddress("10.0.0.1", 7000));
  private static final Peer B = new Peer("b", new PeerAddress("10.0.0.2", 7000));
  private static final long NEVER = Long.MAX_VALUE;

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);

  /** Has room for two requests with bodies of 1,000 bytes, of which one peer may have one. */
  private final MemoryPool memory = new MemoryPool(6_000, 0);

  private final MemoryNetwork network = MemoryNetwork.byHand();
  private final Messenger a = messenger(A, MessengerSettings.DEFAULT);
  private final Messenger b =
      new Messenger(
          B,
          network.at(B.address()),
          clock,
          scheduler,
          new MessengerSettings(10, 3, Duration.ofMillis(10)),
          memory);
  private final List<Request> asked = new ArrayList<>();
  private final List<CompletableFuture<byte[]>> answers = new ArrayList<>();

  private Messenger messenger(Peer self, MessengerSettings settings) {
    return new Messenger(self, network.at(self.address()), clock, scheduler, settings);
  }

  @BeforeEach
  void start() {
    b.handle(Verb.MUTATION, request -> CompletableFuture.completedFuture(request.body()));
    b.handle(
        Verb.READ_ROW,
        request -> {
          asked.add(request);
          CompletableFuture<byte[]> answer = new CompletableFuture<>();
          answers.add(answer);
          return answer;
        });
    a.start();
    b.start();
  }

  /** Keeps what an answer brings. */
  private static final class Carried implements TraceCarrier {
    private final List<String> told = new ArrayList<>();

    @Override
    public byte[] request() {
      return bytes("trace");
    }

    @Override
    public void answered(byte[] events) {
      told.add(new String(events, UTF_8));
    }
  }

  @Test
  void aTraceGoesAlongAndComesBackBeforeTheAnswer() {
    Carried carried = new Carried();
    CompletableFuture<byte[]> answer = a.request(B, Verb.READ_ROW, bytes("x"), in(100), carried);
    network.run();
    assertEquals("trace", new String(asked.get(0).trace(), UTF_8));
    asked.get(0).answersTrace(() -> bytes("events"));
    CompletableFuture<List<String>> toldBefore =
        answer.thenApply(body -> List.copyOf(carried.told));
    answers.get(0).complete(bytes("y"));
    network.run();
    assertEquals(List.of("events"), toldBefore.join());
  }

  @Test
  void aTraceComesBackWithAFailureToo() {
    Carried carried = new Carried();
    CompletableFuture<byte[]> answer = a.request(B, Verb.READ_ROW, bytes("x"), in(100), carried);
    network.run();
    asked.get(0).answersTrace(() -> bytes("events"));
    answers.get(0).completeExceptionally(new PeerFailure(PeerFailure.Code.OVERLOADED, "full"));
    network.run();
    assertThrows(CompletionException.class, answer::join);
    assertEquals(List.of("events"), carried.told);
  }

  @Test
  void aNodeThatKnowsNoTracesAnswersWithoutOneAndUntracedRequestsCarryNothing() {
    Carried carried = new Carried();
    CompletableFuture<byte[]> traced = a.request(B, Verb.MUTATION, bytes("x"), in(100), carried);
    CompletableFuture<byte[]> plain = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    network.run();
    assertEquals("x", new String(traced.join(), UTF_8));
    assertEquals(List.of(), carried.told);
    assertEquals(0, asked.get(0).trace().length);
    answers.get(0).complete(bytes("y"));
    network.run();
    assertEquals("y", new String(plain.join(), UTF_8));
  }

  private long in(int millis) {
    return clock.monotonicNanos() + Duration.ofMillis(millis).toNanos();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static PeerFailure failure(CompletableFuture<byte[]> answer) {
    assertTrue(answer.isDone(), "no answer and no failure");
    Throwable thrown = assertThrows(CompletionException.class, answer::join).getCause();
    return assertInstanceOf(PeerFailure.class, thrown);
  }

  private static VerbFigures figures(Messenger of, Verb verb) {
    return of.figures().stream().filter(f -> f.verb() == verb).findFirst().orElseThrow();
  }

  @Test
  void anAnswerReachesWhoAsked() throws Exception {
    CompletableFuture<byte[]> one = a.request(B, Verb.MUTATION, bytes("one"), in(100));
    CompletableFuture<byte[]> two = a.request(B, Verb.MUTATION, bytes("two"), NEVER);
    assertEquals(2, a.pendingRequests());
    network.run();
    assertArrayEquals(bytes("one"), one.join());
    assertArrayEquals(bytes("two"), two.join());
    assertEquals(0, a.pendingRequests());
    assertEquals(2, figures(a, Verb.MUTATION).sent());
    assertEquals(2, figures(b, Verb.MUTATION).received());
    assertEquals(2, figures(a, Verb.MUTATION).answered());
  }

  @Test
  void aLostRequestTimesOutAtItsDeadlineAndNotBefore() {
    CompletableFuture<byte[]> late = a.request(B, Verb.MUTATION, bytes("x"), in(100));
    CompletableFuture<byte[]> later = a.request(B, Verb.MUTATION, bytes("x"), in(300));
    CompletableFuture<byte[]> soon = a.request(B, Verb.MUTATION, bytes("x"), in(20));
    scheduler.advance(Duration.ofMillis(19));
    assertFalse(soon.isDone());
    scheduler.advance(Duration.ofMillis(12));
    assertEquals(PeerFailure.Code.TIMED_OUT, failure(soon).code());
    scheduler.advance(Duration.ofMillis(68));
    assertFalse(late.isDone());
    scheduler.advance(Duration.ofMillis(12));
    assertEquals(PeerFailure.Code.TIMED_OUT, failure(late).code());
    assertFalse(later.isDone());
    scheduler.advance(Duration.ofMillis(200));
    assertEquals(PeerFailure.Code.TIMED_OUT, failure(later).code());
    assertEquals(3, figures(a, Verb.MUTATION).timedOut());
    assertEquals(0, a.pendingRequests());
  }

  @Test
  void manyDeadlinesShareFewTimers() {
    for (int i = 0; i < 10_000; i++) {
      var unused = a.request(B, Verb.MUTATION, bytes("x"), in(1_000) + i);
    }
    long before = tasks();
    scheduler.advance(Duration.ofSeconds(2));
    assertEquals(0, a.pendingRequests());
    assertTrue(tasks() - before <= 2, (tasks() - before) + " timers for the same deadline");
    before = tasks();
    scheduler.advance(Duration.ofSeconds(20));
    assertEquals(before, tasks(), "a timer runs though nothing waits");
  }

  private long tasks() {
    return scheduler.figures().stream().mapToLong(stage -> stage.completed()).sum();
  }

  @Test
  void readsAreGivenBackWhenTheirStreamBreaksAndLateAnswersMeanNothing() throws Exception {
    CompletableFuture<byte[]> read = a.request(B, Verb.READ_ROW, bytes("x"), NEVER);
    network.step();
    network.breakStream(A.address(), B.address());
    assertEquals(PeerFailure.Code.LOST, failure(read).code());
    assertEquals(0, a.pendingRequests());
    answers.get(0).complete(bytes("late"));
    network.run();
    assertEquals(1, figures(a, Verb.READ_ROW).failed());
    assertEquals(1, figures(a, Verb.READ_ROW).dropped());
  }

  @Test
  void aWriteWhoseStreamBreaksMayBeAnsweredAnotherWayForASecond() throws Exception {
    CompletableFuture<byte[]> answered = a.request(B, Verb.MUTATION, bytes("x"), NEVER);
    network.breakStream(A.address(), B.address());
    scheduler.advance(Duration.ofMillis(900));
    assertFalse(answered.isDone());
    network.run();
    assertArrayEquals(bytes("x"), answered.join());

    CompletableFuture<byte[]> lost = a.request(B, Verb.MUTATION, bytes("x"), NEVER);
    CompletableFuture<byte[]> late = a.request(B, Verb.MUTATION, bytes("x"), in(100));
    network.breakStream(A.address(), B.address());
    scheduler.advance(Duration.ofMillis(120));
    assertTrue(late.isDone(), "a deadline that comes first is kept");
    assertFalse(lost.isDone());
    scheduler.advance(Duration.ofMillis(900));
    assertEquals(PeerFailure.Code.LOST, failure(lost).code());
    assertEquals(0, a.pendingRequests());
  }

  @Test
  void aStreamThatBreaksConcernsRowsOnThatPeerAlone() {
    CompletableFuture<byte[]> elsewhere = a.request(B, Verb.READ_ROW, bytes("x"), NEVER);
    CompletableFuture<byte[]> truncation = a.request(B, Verb.TRUNCATE, bytes("x"), NEVER);
    network.breakStream(A.address(), A.address());
    assertFalse(elsewhere.isDone());
    network.breakStream(A.address(), B.address());
    scheduler.advance(Duration.ofSeconds(10));
    assertTrue(elsewhere.isDone());
    assertFalse(truncation.isDone(), "who asked for it does not know how to ask again");
  }

  @Test
  void whatIsTooLateAlreadyIsNotSent() {
    CompletableFuture<byte[]> answer =
        a.request(B, Verb.MUTATION, bytes("x"), clock.monotonicNanos());
    assertEquals(PeerFailure.Code.TIMED_OUT, failure(answer).code());
    assertTrue(network.underWay().isEmpty());
  }

  @Test
  void aFullQueueFailsAtOnce() {
    network.full(true);
    CompletableFuture<byte[]> answer = a.request(B, Verb.MUTATION, bytes("x"), in(100));
    assertEquals(PeerFailure.Code.NOT_SENT, failure(answer).code());
    assertEquals(0, a.pendingRequests());
    assertEquals(1, figures(a, Verb.MUTATION).dropped());
  }

  @Test
  void oneRequestTooManyIsRefusedHere() throws Exception {
    a.handle(Verb.MUTATION, request -> new CompletableFuture<>());
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    for (int i = 0; i < 11; i++) {
      all.add(b.request(A, Verb.MUTATION, bytes("x"), in(100)));
    }
    assertEquals(PeerFailure.Code.OVERLOADED, failure(all.get(10)).code());
    assertFalse(all.get(9).isDone());
    assertEquals(10, b.pendingRequests());
  }

  @Test
  void oneRequestTooManyIsRefusedThere() throws Exception {
    List<CompletableFuture<byte[]>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(a.request(B, Verb.READ_ROW, bytes("x"), in(100)));
    }
    network.run();
    assertEquals(PeerFailure.Code.OVERLOADED, failure(all.get(3)).code());
    assertEquals(3, asked.size());
    answers.get(0).complete(bytes("y"));
    network.run();
    assertArrayEquals(bytes("y"), all.get(0).join());
    assertEquals(2, b.runningRequests());
  }

  @Test
  void bodiesThatAreTooLongTogetherAreRefusedThere() throws Exception {
    CompletableFuture<byte[]> long1 = a.request(B, Verb.READ_ROW, new byte[1_000], in(100));
    CompletableFuture<byte[]> long2 = a.request(B, Verb.READ_ROW, new byte[1_000], in(100));
    network.run();
    assertEquals(PeerFailure.Code.OVERLOADED, failure(long2).code());
    answers.get(0).complete(bytes("y"));
    CompletableFuture<byte[]> long3 = a.request(B, Verb.READ_ROW, new byte[1_000], in(100));
    network.run();
    assertArrayEquals(bytes("y"), long1.join());
    assertFalse(long3.isDone());
    answers.get(1).complete(bytes("z"));
    assertEquals(0, memory.usedBytes());
    assertEquals(1, memory.refusals(MemoryUse.PEER_REQUESTS));
  }

  @Test
  void cancellingReachesTheHandler() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.READ_ROW, bytes("x"), NEVER);
    network.run();
    assertFalse(asked.get(0).isCancelled());
    assertTrue(answer.cancel(false));
    assertEquals(0, a.pendingRequests());
    network.run();
    assertTrue(asked.get(0).isCancelled());
    assertTrue(answers.get(0).isCancelled());
    assertEquals(0, b.runningRequests());
    assertTrue(network.underWay().isEmpty(), "an answer without a waiting caller was sent");
    assertEquals(1, figures(b, Verb.READ_ROW).cancelled());
  }

  @Test
  void theDeadlineReachesTheHandler() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    network.run();
    assertEquals(in(100), asked.get(0).deadlineNanos());
    scheduler.advance(Duration.ofMillis(111));
    assertTrue(asked.get(0).isCancelled());
    assertTrue(answers.get(0).isCancelled());
    assertEquals(0, b.runningRequests());
    assertEquals(PeerFailure.Code.TIMED_OUT, failure(answer).code());
  }

  @Test
  void failuresOfTheHandlerAreToldWithTheirCode() throws Exception {
    CompletableFuture<byte[]> known = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    CompletableFuture<byte[]> bug = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    network.run();
    answers
        .get(0)
        .completeExceptionally(new PeerFailure(PeerFailure.Code.UNKNOWN_FAMILY, "no family f"));
    answers.get(1).completeExceptionally(new CompletionException(new IllegalStateException("oh")));
    network.run();
    assertEquals(PeerFailure.Code.UNKNOWN_FAMILY, failure(known).code());
    assertEquals("no family f", failure(known).getMessage());
    assertEquals(PeerFailure.Code.INTERNAL, failure(bug).code());
    assertEquals(2, figures(a, Verb.READ_ROW).failed());
  }

  @Test
  void aHandlerThatThrowsAnswersInternal() throws Exception {
    b.handle(
        Verb.TOUCH,
        request -> {
          throw new IllegalStateException("bug");
        });
    CompletableFuture<byte[]> answer = a.request(B, Verb.TOUCH, bytes("x"), in(100));
    network.run();
    assertEquals(PeerFailure.Code.INTERNAL, failure(answer).code());
  }

  @Test
  void aVerbWithoutHandlerIsRefused() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.TRUNCATE, bytes("x"), in(100));
    a.sendOneWay(B, Verb.TRUNCATE, bytes("x"));
    network.run();
    assertEquals(PeerFailure.Code.NOT_READY, failure(answer).code());
    assertEquals(2, figures(b, Verb.TRUNCATE).dropped());
  }

  @Test
  void aRequestForWhoListenedThereBeforeIsRefused() throws Exception {
    Peer former = new Peer("former", B.address());
    CompletableFuture<byte[]> answer = a.request(former, Verb.MUTATION, bytes("x"), NEVER);
    network.step();
    assertEquals(0, figures(b, Verb.MUTATION).received());
    network.run();
    assertEquals(PeerFailure.Code.NOT_READY, failure(answer).code());
  }

  @Test
  void anyNodeThatListensThereMayAnswer() throws Exception {
    CompletableFuture<byte[]> answer =
        a.request(Peer.at(B.address()), Verb.MUTATION, bytes("x"), in(100));
    network.run();
    assertArrayEquals(bytes("x"), answer.join());
  }

  @Test
  void oneWayMessagesHaveNoAnswer() throws Exception {
    a.sendOneWay(B, Verb.MUTATION, bytes("x"));
    network.run();
    assertEquals(1, figures(a, Verb.MUTATION).sent());
    assertEquals(1, figures(b, Verb.MUTATION).received());
    assertEquals(0, figures(a, Verb.MUTATION).dropped());
  }

  @Test
  void lateAndDoubledAnswersAreCountedAndIgnored() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.MUTATION, bytes("x"), in(10));
    network.step();
    Frame reply = network.loseNext();
    network.deliver(A.address(), reply);
    assertArrayEquals(bytes("x"), answer.join());
    network.deliver(A.address(), reply);
    assertEquals(1, figures(a, Verb.MUTATION).dropped());
  }

  @Test
  void anAnswerToAnotherVerbIsNotTaken() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.MUTATION, bytes("x"), in(10));
    long number = network.loseNext().number();
    network.deliver(
        A.address(), new Frame(Frame.FrameKind.REPLY, Verb.TOUCH, B, "a", number, 0, bytes("y")));
    assertFalse(answer.isDone());
  }

  @Test
  void answersToAnEarlierRunAreNotTaken() throws Exception {
    var unused = a.request(B, Verb.MUTATION, bytes("old"), NEVER);
    Frame old = network.loseNext();
    scheduler.advance(Duration.ofMillis(1));
    Messenger again = messenger(A, MessengerSettings.DEFAULT);
    again.start();
    CompletableFuture<byte[]> answer = again.request(B, Verb.MUTATION, bytes("new"), in(100));
    network.deliver(B.address(), old);
    network.run();
    assertArrayEquals(bytes("new"), answer.join());
  }

  @Test
  void aDoubledRequestIsHandledOnceWhileItRuns() throws Exception {
    CompletableFuture<byte[]> answer = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    Frame request = network.loseNext();
    network.deliver(B.address(), request);
    network.deliver(B.address(), request);
    assertEquals(1, asked.size());
    answers.get(0).complete(bytes("y"));
    network.run();
    assertArrayEquals(bytes("y"), answer.join());
  }

  @Test
  void forgettingAPeerFailsWhatWaitsForItInOrder() {
    Peer other = new Peer("c", new PeerAddress("10.0.0.3", 7000));
    AtomicInteger order = new AtomicInteger();
    List<Integer> places = new ArrayList<>();
    List<CompletableFuture<byte[]>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int place = i;
      CompletableFuture<byte[]> answer = a.request(B, Verb.MUTATION, bytes("x"), in(1_000));
      waiting.add(answer);
      var unused =
          answer.whenComplete(
              (body, thrown) -> {
                places.add(place);
                order.incrementAndGet();
              });
    }
    CompletableFuture<byte[]> elsewhere = a.request(other, Verb.MUTATION, bytes("x"), in(1_000));
    a.forget(B);
    assertEquals(List.of(B.address()), network.forgotten());
    assertEquals(PeerFailure.Code.NOT_SENT, failure(waiting.get(99)).code());
    assertEquals(places.stream().sorted().toList(), places);
    assertEquals(100, order.get());
    assertFalse(elsewhere.isDone());
  }

  @Test
  void aStoppedNodeAsksAndAnswersNoMore() throws Exception {
    CompletableFuture<byte[]> asks = b.request(A, Verb.TOUCH, bytes("x"), in(100));
    network.loseNext();
    CompletableFuture<byte[]> running = a.request(B, Verb.READ_ROW, bytes("x"), in(100));
    network.run();
    b.stop();
    assertEquals(PeerFailure.Code.NOT_SENT, failure(asks).code());
    assertTrue(answers.get(0).isCancelled());
    assertEquals(
        PeerFailure.Code.NOT_SENT, failure(b.request(A, Verb.TOUCH, bytes("x"), NEVER)).code());
    CompletableFuture<byte[]> late = a.request(B, Verb.MUTATION, bytes("x"), in(100));
    network.run();
    assertEquals(PeerFailure.Code.NOT_READY, failure(late).code());
    assertFalse(running.isDone());
  }

  @Test
  void aBodyThatIsTooLongIsRefusedHere() {
    byte[] body = new byte[FrameCodec.MAX_BODY_BYTES + 1];
    assertEquals(
        PeerFailure.Code.REFUSED, failure(a.request(B, Verb.MUTATION, body, NEVER)).code());
    a.sendOneWay(B, Verb.MUTATION, body);
    assertEquals(1, figures(a, Verb.MUTATION).dropped());
    assertTrue(network.underWay().isEmpty());
  }

  @Test
  void aVerbHasOneHandler() {
    assertThrows(
        IllegalStateException.class,
        () -> b.handle(Verb.MUTATION, request -> new CompletableFuture<>()));
  }
}
