package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.TraceCarrier;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.storage.engine.StoreTrace;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class CallTraceTest {

  private static final long SEED = 20_261_126;

  private static final TraceParent PARENT =
      new TraceParent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true);

  private final SimClock clock = new SimClock();
  private final CallTrace trace =
      new CallTrace(clock, PARENT, "coordinator", clock.monotonicNanos());

  /** A request that a replica has got. */
  private static final class Asked implements Request {
    private final byte[] carried;
    private Supplier<byte[]> events = () -> Frame.NO_TRACE;

    Asked(byte[] carried) {
      this.carried = carried;
    }

    @Override
    public Peer from() {
      return new Peer("coordinator", new PeerAddress("10.0.0.1", 7000));
    }

    @Override
    public byte[] body() {
      return new byte[0];
    }

    @Override
    public long deadlineNanos() {
      return Long.MAX_VALUE;
    }

    @Override
    public byte[] trace() {
      return carried;
    }

    @Override
    public void answersTrace(Supplier<byte[]> told) {
      events = told;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }
  }

  private void pass(int millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  private static long millis(long nanos) {
    return Duration.ofNanos(nanos).toMillis();
  }

  @Test
  void eventsHaveTheirTimesAfterTheCallCame() {
    pass(3);
    trace.begin();
    pass(4);
    long asked = trace.asked("b", "data");
    pass(5);
    assertTrue(trace.ended("b", asked, CompletableFuture.completedFuture("answer")).isDone());
    List<CallTrace.Event> events = trace.events();
    assertEquals(List.of(3L, 7L, 12L), events.stream().map(e -> millis(e.nanos())).toList());
    assertEquals(List.of(3L, 0L, 5L), events.stream().map(e -> millis(e.durationNanos())).toList());
    assertEquals("coordinator", events.get(0).node());
    assertEquals("b", events.get(1).peer());
  }

  @Test
  void thousandsOfEventsAreCutAndCounted() {
    for (int i = 0; i < 5_000; i++) {
      trace.add(CallTrace.Step.REPLICA_ASKED, "b", "x".repeat(1_000));
    }
    assertEquals(CallTrace.EVENTS_MAX, trace.events().size());
    assertEquals(5_000 - CallTrace.EVENTS_MAX, trace.dropped());
    assertEquals(120, trace.events().get(0).detail().length());
  }

  @Test
  void aReplicasEventsAreSetInTheMiddleBetweenQuestionAndAnswer() {
    pass(1);
    TraceCarrier carrier = trace.toReplica("b");
    // The way there takes 10 ms, the work 30, the way back 10.
    pass(10);
    Asked request = new Asked(carrier.request());
    CallTrace there = Objects.requireNonNull(CallTrace.of(request, clock));
    StoreTrace store = there.store();
    pass(20);
    store.reached(StoreTrace.StoreStep.READ_QUEUED, "");
    pass(10);
    store.reached(StoreTrace.StoreStep.READ, "files read 2");
    byte[] told = request.events.get();
    pass(10);
    carrier.answered(told);
    List<CallTrace.Event> events = trace.events();
    assertEquals(
        List.of(CallTrace.Step.STORE_QUEUED, CallTrace.Step.STORE_READ),
        events.stream().map(CallTrace.Event::step).toList());
    assertEquals(List.of("b", "b"), events.stream().map(CallTrace.Event::node).toList());
    assertEquals(List.of(31L, 41L), events.stream().map(e -> millis(e.nanos())).toList());
    assertEquals(List.of(20L, 10L), events.stream().map(e -> millis(e.durationNanos())).toList());
    assertEquals("files read 2", events.get(1).detail());
  }

  @Test
  void aReplicaSendsFewEventsWithinTheLimitOfAFrame() {
    TraceCarrier carrier = trace.toReplica("b");
    Asked request = new Asked(carrier.request());
    CallTrace there = Objects.requireNonNull(CallTrace.of(request, clock));
    for (int i = 0; i < 3_000; i++) {
      there.add(CallTrace.Step.READ_REPAIR, "", "\u20ac".repeat(1_000));
    }
    byte[] told = request.events.get();
    assertTrue(told.length <= Frame.TRACE_BYTES_MAX, "" + told.length);
    carrier.answered(told);
    assertEquals(CallTrace.REPLICA_EVENTS_MAX, trace.events().size());
    assertEquals(3_000 - CallTrace.REPLICA_EVENTS_MAX, trace.dropped());
  }

  @Test
  void aRequestThatCarriesNoTraceHasNone() {
    assertNull(CallTrace.of(new Asked(Frame.NO_TRACE), clock));
    assertNull(CallTrace.of(new Asked(new byte[7]), clock));
  }

  @Test
  void whatCannotBeReadIsLeftOutAndCounted() {
    TraceCarrier carrier = trace.toReplica("b");
    Asked request = new Asked(carrier.request());
    CallTrace there = Objects.requireNonNull(CallTrace.of(request, clock));
    there.store().reached(StoreTrace.StoreStep.READ, "files read 2");
    byte[] told = request.events.get();
    for (int length = 0; length < told.length; length++) {
      carrier.answered(Arrays.copyOf(told, length));
    }
    assertEquals(told.length, trace.dropped());
    RandomSource random = new SeededRandom(SEED);
    for (int i = 0; i < 10_000; i++) {
      byte[] rubbish = told.clone();
      rubbish[random.nextInt(rubbish.length)] = (byte) random.nextInt(256);
      carrier.answered(rubbish);
    }
    assertTrue(trace.events().size() <= CallTrace.EVENTS_MAX, "seed " + SEED);
    for (CallTrace.Event event : trace.events()) {
      assertTrue(event.detail().length() <= 120, "seed " + SEED);
    }
  }
}
