package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.POSTS;
import static dev.colonnade.server.cluster.hints.HintFixture.TAGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The receiver applies all of a message or says why not. */
final class HintReceiverTest implements HintReceiver.Replica {
  private final List<String> applied = new ArrayList<>();
  private final List<String> setAside = new ArrayList<>();
  private final CompletableFuture<Void> outcome = new CompletableFuture<>();

  /** The outcome of the hint with that word. */
  private final CompletableFuture<Void> failing = new CompletableFuture<>();

  private final HintReceiver receiver = new HintReceiver(this);

  @Override
  public boolean knows(FamilyId family) {
    return family.equals(POSTS);
  }

  @Override
  public CompletableFuture<Void> apply(Mutation mutation) {
    applied.add(HintFixture.text(mutation));
    return HintFixture.text(mutation).equals("fails") ? failing : outcome;
  }

  @Override
  public CompletableFuture<Void> setAside(Mutation mutation, Throwable why) {
    setAside.add(HintFixture.text(mutation) + ": " + why.getMessage());
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<byte[]> receive(byte[] body) {
    return receiver.handle(
        new Request() {
          @Override
          public Peer from() {
            return Peer.at(new PeerAddress("10.0.0.2", 7000));
          }

          @Override
          public byte[] body() {
            return body;
          }

          @Override
          public long deadlineNanos() {
            return Long.MAX_VALUE;
          }

          @Override
          public boolean isCancelled() {
            return false;
          }
        });
  }

  private static byte[] message(Mutation... mutations) {
    return HintMessage.encode(Arrays.stream(mutations).map(HintFixture::encoded).toList());
  }

  private static PeerFailure.Code failure(CompletableFuture<byte[]> answer) {
    CompletionException thrown = assertThrows(CompletionException.class, () -> answer.getNow(null));
    return assertInstanceOf(PeerFailure.class, thrown.getCause()).code();
  }

  @Test
  void answersWhenAllIsApplied() {
    CompletableFuture<byte[]> answer =
        receive(message(HintFixture.word("a", 1, POSTS), HintFixture.word("b", 1, POSTS)));
    assertEquals(List.of("a", "b"), applied);
    assertFalse(answer.isDone());
    outcome.complete(null);
    assertTrue(answer.isDone() && !answer.isCompletedExceptionally());
  }

  @Test
  void appliesNothingOfAMessageWithAFamilyThatIsNotKnownYet() {
    CompletableFuture<byte[]> answer =
        receive(message(HintFixture.word("a", 1, POSTS), HintFixture.word("b", 1, POSTS, TAGS)));
    assertEquals(PeerFailure.Code.UNKNOWN_FAMILY, failure(answer));
    assertEquals(List.of(), applied);
  }

  /** Otherwise the sender continues after them, and they are lost. */
  @Test
  void aFailureInTheMiddleOfABatchIsTheBatchs() {
    CompletableFuture<byte[]> answer =
        receive(
            message(
                HintFixture.word("a", 1, POSTS),
                HintFixture.word("fails", 1, POSTS),
                HintFixture.word("c", 1, POSTS)));
    outcome.complete(null);
    assertFalse(answer.isDone(), "one of three has no outcome yet");
    failing.completeExceptionally(new PeerFailure(PeerFailure.Code.OVERLOADED, "busy"));
    assertEquals(PeerFailure.Code.OVERLOADED, failure(answer));
  }

  @Test
  void saysWhyItWasNotApplied() {
    CompletableFuture<byte[]> answer = receive(message(HintFixture.word("a", 1, POSTS)));
    outcome.completeExceptionally(new PeerFailure(PeerFailure.Code.OVERLOADED, "busy"));
    assertEquals(PeerFailure.Code.OVERLOADED, failure(answer));
  }

  @Test
  void aHintThatCannotBeAppliedIsSetAsideAndHoldsUpNoOther() {
    for (Throwable why : List.of(new IllegalStateException("odd"), new NoClassDefFoundError("x"))) {
      setAside.clear();
      CompletableFuture<Void> poison = CompletableFuture.failedFuture(why);
      HintReceiver fussy =
          new HintReceiver(
              new HintReceiver.Replica() {
                @Override
                public boolean knows(FamilyId family) {
                  return true;
                }

                @Override
                public CompletableFuture<Void> apply(Mutation mutation) {
                  boolean refused =
                      mutation.updates().stream().anyMatch(part -> part.family().equals(TAGS));
                  applied.add(HintFixture.text(mutation));
                  return refused ? poison : CompletableFuture.completedFuture(null);
                }

                @Override
                public CompletableFuture<Void> setAside(Mutation mutation, Throwable thrown) {
                  assertEquals(TAGS, mutation.updates().get(0).family());
                  return HintReceiverTest.this.setAside(mutation, thrown);
                }
              });
      CompletableFuture<byte[]> answer =
          fussy.take(
              message(
                  HintFixture.word("a", 1, TAGS),
                  HintFixture.word("b", 1, POSTS, TAGS),
                  HintFixture.word("c", 1, POSTS)));
      assertTrue(answer.isDone() && !answer.isCompletedExceptionally());
      assertEquals(List.of("a: " + why.getMessage(), "b: " + why.getMessage()), setAside);
    }
  }

  @Test
  void aHintIsNotSetAsideForWhatIsTheMatterWithTheNode() {
    CompletableFuture<byte[]> answer = receive(message(HintFixture.word("a", 1, POSTS)));
    outcome.completeExceptionally(new IOException("no disk"));
    assertThrows(CompletionException.class, () -> answer.getNow(null));
    assertEquals(List.of(), setAside);
  }

  @Test
  void refusesWhatIsNoMessageOfHints() {
    byte[] sound = message(HintFixture.word("a", 1, POSTS));
    for (int length = 0; length < sound.length; length++) {
      assertEquals(PeerFailure.Code.PROTOCOL, failure(receive(Arrays.copyOf(sound, length))));
    }
    assertEquals(
        PeerFailure.Code.PROTOCOL, failure(receive(Arrays.copyOf(sound, sound.length + 1))));
    assertEquals(List.of(), applied);
  }
}
