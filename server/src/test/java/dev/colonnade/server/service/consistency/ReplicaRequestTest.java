package dev.colonnade.server.service.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.service.coordinator.Render;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a request reports when too few replicas answered. */
class ReplicaRequestTest {

  private static final RingNode SELF = node("self");
  private static final RingNode OTHER = node("other");
  private static final RingNode THIRD = node("third");
  private static final RingNode FOURTH = node("fourth");

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock);
  private final ReplicaRequest.RequestContext tools =
      new ReplicaRequest.RequestContext(
          clock,
          new ReplicaSorter(clock, "self", 20_000_000),
          new SpeculativeRetry(clock, scheduler, Duration.ofMillis(5)),
          new ReadCounters());

  private static RingNode node(String id) {
    return new RingNode(id, id, 7000, 9160, "dc", "r", List.of(new byte[] {1}));
  }

  private @Nullable Throwable failureWhenSelfFailsWith(Throwable own) {
    ReplicaRequest<String> ask =
        new ReplicaRequest<>(
            tools,
            Consistency.ALL,
            new ConsistencyRequirement(List.of(new ConsistencyRequirement.BlockFor(null, 3))),
            List.of(),
            (node, instead) ->
                node.equals(SELF)
                    ? CompletableFuture.failedFuture(own)
                    : CompletableFuture.completedFuture("answer"),
            answers -> true);
    return assertThrows(
            CompletionException.class, () -> ask.begin(List.of(SELF, OTHER, THIRD)).join())
        .getCause();
  }

  @Test
  void aStoreThatIsLateIsOneOfThoseThatDidNotAnswer() {
    Throwable own = new CoordinationException.ReplicaTimeout(Consistency.ALL, 1, 0);
    assertEquals("timeout 2/3", Render.failure(failureWhenSelfFailsWith(own)));
  }

  @Test
  void aStoreThatSaysWhyIsHeard() {
    Throwable own = new CoordinationException.Overloaded("the read stage");
    assertEquals(own, failureWhenSelfFailsWith(own));
  }

  @Test
  void whoCannotEvenBeAskedIsStoodInFor() {
    ReplicaRequest<String> ask =
        new ReplicaRequest<>(
            tools,
            Consistency.TWO,
            new ConsistencyRequirement(List.of(new ConsistencyRequirement.BlockFor(null, 2))),
            List.of(THIRD),
            (node, instead) -> {
              if (node.equals(OTHER)) {
                throw new IllegalStateException("a bug");
              }
              return CompletableFuture.completedFuture(node.id());
            },
            answers -> true);

    ReplicaRequest.ReplicaAnswers<String> answers = ask.begin(List.of(SELF, OTHER)).join();

    assertEquals(
        List.of("self", "third"),
        answers.all().stream().map(ReplicaRequest.ReplicaAnswer::value).toList());
  }

  /** A question to {@code self} and {@code other} of which only {@code answering} answer. */
  private CompletableFuture<ReplicaRequest.ReplicaAnswers<String>> asked(
      List<RingNode> answering, List<RingNode> failing) {
    ReplicaRequest<String> ask =
        new ReplicaRequest<>(
            tools,
            Consistency.TWO,
            new ConsistencyRequirement(List.of(new ConsistencyRequirement.BlockFor(null, 2))),
            List.of(THIRD, FOURTH),
            (node, instead) ->
                answering.contains(node)
                    ? CompletableFuture.completedFuture(node.id())
                    : failing.contains(node)
                        ? CompletableFuture.failedFuture(new IllegalStateException("down"))
                        : new CompletableFuture<>(),
            answers -> true);
    return ask.begin(List.of(SELF, OTHER));
  }

  @Test
  void aReplicaThatStandsInForALateOneAndIsLateItselfIsStoodInFor() {
    CompletableFuture<ReplicaRequest.ReplicaAnswers<String>> answers =
        asked(List.of(SELF, FOURTH), List.of());

    scheduler.advance(Duration.ofSeconds(1));

    assertTrue(answers.isDone(), "the third was late too, and the fourth was not asked");
    assertEquals(
        List.of("self", "fourth"),
        answers.join().all().stream().map(ReplicaRequest.ReplicaAnswer::value).toList());
  }

  @Test
  void aReplicaThatStandsInForAFailedOneAndIsLateIsStoodInFor() {
    CompletableFuture<ReplicaRequest.ReplicaAnswers<String>> answers =
        asked(List.of(SELF, FOURTH), List.of(OTHER));

    scheduler.advance(Duration.ofSeconds(1));

    assertTrue(answers.isDone(), "the third was late, and the fourth was not asked");
  }
}
