package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.accounts.AuthenticationException.Kind;
import dev.colonnade.server.sim.SimClock;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who a caller is taken for, and what strangers can keep others from. */
final class AuthenticatorTest {

  private final SimClock clock = new SimClock();
  private final Accounts accounts =
      new Accounts(facts -> CompletableFuture.completedFuture(null), clock, List.of());
  private final List<Runnable> stage = new ArrayList<>();
  private final AuditLog audit = new AuditLog(false, clock::monotonicNanos);
  private final Authenticator authenticator =
      new Authenticator(
          accounts,
          new Authenticator.Options(true, true, 10, Duration.ofHours(1), Optional.empty()),
          clock,
          scheduler(),
          bytes -> {},
          audit);

  /** Passwords wait until the test checks them; at most 64, as on a node. */
  private Scheduler scheduler() {
    return (Scheduler)
        Proxy.newProxyInstance(
            Scheduler.class.getClassLoader(),
            new Class<?>[] {Scheduler.class},
            (proxy, method, args) -> {
              if (!method.getName().equals("submit") || args[0] != Stage.PASSWORD) {
                throw new UnsupportedOperationException(method.toString());
              }
              return stage.size() < 64 && stage.add((Runnable) args[1]);
            });
  }

  private CompletableFuture<Identity> password(String name, String password, String address) {
    String both = name + ":" + password;
    return authenticator.identify(
        "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)),
        List.of(),
        address);
  }

  private void check() {
    while (!stage.isEmpty()) {
      stage.remove(0).run();
    }
  }

  private static Kind kind(CompletableFuture<?> refused) {
    CompletionException failure = assertThrows(CompletionException.class, refused::join);
    return assertInstanceOf(AuthenticationException.class, failure.getCause()).kind();
  }

  /** Names that were made up are as slow as others, and would fill all places. */
  @Test
  void aStrangerWithManyNamesLeavesPlacesToOtherAddresses() {
    bobExists();
    List<CompletableFuture<Identity>> guesses = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      guesses.add(password("name" + i, "guessed word", "10.0.0.66"));
    }
    assertEquals(PasswordPlaces.ADDRESS_MAX, stage.size());
    assertEquals(Kind.BUSY, kind(guesses.get(199)));
    CompletableFuture<Identity> bob = password("bob", "bob's own word", "10.0.0.7");
    check();
    assertEquals("bob", bob.join().account());
    assertEquals(Kind.REFUSED, kind(guesses.get(0)));
    CompletableFuture<Identity> again = password("bob", "bob's own word", "10.0.0.66");
    check();
    assertEquals("bob", again.join().account(), "the places are free again");
    CompletableFuture<Identity> last = password("name199", "guessed word", "10.0.0.66");
    check();
    assertEquals(Kind.REFUSED, kind(last), "what found no place is looked at when there is one");
  }

  @Test
  void strangersWithManyAddressesLeavePlacesToThoseWhoWereLetInBefore() {
    bobExists();
    CompletableFuture<Identity> first = password("bob", "bob's own word", "10.0.0.7");
    check();
    assertEquals("bob", first.join().account());
    List<CompletableFuture<Identity>> guesses = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      guesses.add(password("name" + i, "guessed word", "10.0.1." + i % 200));
    }
    assertEquals(PasswordPlaces.STRANGERS_MAX, stage.size());
    assertEquals(Kind.BUSY, kind(guesses.get(399)));
    CompletableFuture<Identity> mistyped = password("bob", "not bob's word", "10.0.0.7");
    assertEquals(PasswordPlaces.STRANGERS_MAX + 1, stage.size());
    check();
    assertEquals(Kind.REFUSED, kind(mistyped));
    CompletableFuture<Identity> stranger = password("eve", "guessed word", "10.0.2.1");
    check();
    assertEquals(Kind.REFUSED, kind(stranger), "the places are free again");
  }

  private void bobExists() {
    CompletableFuture<String> hash = authenticator.hash("bob's own word");
    check();
    assertEquals(List.of(), accounts.createUser("bob", hash.join(), false).join());
  }

  private @Nullable Kind attempt(String word, String address) {
    CompletableFuture<Identity> answer = password("bob", word, address);
    check();
    return answer.isCompletedExceptionally() ? kind(answer) : null;
  }

  /** A guesser sees no difference between the right word and others, although it is remembered. */
  @Test
  void aRightGuessIsThrottledWhileTheOwnerIsAtWork() {
    bobExists();
    assertNull(attempt("bob's own word", "10.0.0.7"));
    for (int i = 0; i <= FailedLogins.FREE; i++) {
      assertEquals(Kind.REFUSED, attempt("guess " + i, "10.0.0.66"));
    }
    for (int i = 0; i < 3_000; i++) {
      String word = i % 100 == 50 ? "bob's own word" : "guess no. " + i;
      assertEquals(Kind.THROTTLED, attempt(word, "10.0.0.66"));
      assertNull(attempt("bob's own word", "10.0.0.7"), "the owner goes on");
    }
    clock.advance(Duration.ofSeconds(1));
    assertEquals(Kind.REFUSED, attempt("one guess", "10.0.0.66"));
    assertEquals(Kind.THROTTLED, attempt("one more", "10.0.0.66"));
    clock.advance(Duration.ofSeconds(2));
    assertNull(attempt("bob's own word", "10.0.0.66"), "the next call after the wait");
  }

  /** The owner's logins behind the same address hand out no guesses. */
  @Test
  void theOwnersLoginsDoNotEndTheWaitOfItsAddress() {
    bobExists();
    for (int i = 0; i <= FailedLogins.FREE; i++) {
      assertEquals(Kind.REFUSED, attempt("guess " + i, "10.0.0.7"));
    }
    clock.advance(Duration.ofSeconds(1));
    var token = authenticator.logIn("bob", "bob's own word", "10.0.0.7");
    check();
    assertEquals(3_600, token.join().endSeconds() - clock.wallSeconds());
    assertEquals(Kind.REFUSED, attempt("guess", "10.0.0.7"));
    assertEquals(Kind.THROTTLED, attempt("guess", "10.0.0.7"));
    var refused = authenticator.logIn("bob", "bob's own word", "10.0.0.7");
    assertEquals(Kind.THROTTLED, kind(refused), "one state for both");
    Identity withToken =
        authenticator.identify("Bearer " + token.join().text(), List.of(), "10.0.0.7").join();
    assertEquals("bob", withToken.account(), "a token needs no password");
  }

  @Test
  void strangersWithManyAddressesShareAFewGuessesAndLockNoOwnerOut() {
    bobExists();
    assertNull(attempt("bob's own word", "10.0.0.7"));
    assertNull(attempt("bob's own word", "10.0.0.8"), "remembered, and from a second address");
    int looked = 0;
    for (int i = 0; i < 2_000; i++) {
      looked += attempt("guess " + i, "10.1." + i / 200 + "." + i % 200) == Kind.REFUSED ? 1 : 0;
      assertNull(attempt("bob's own word", i % 2 == 0 ? "10.0.0.7" : "10.0.0.8"));
    }
    assertEquals(FailedLogins.STRANGERS_FREE + 1, looked);
    assertEquals(Kind.THROTTLED, attempt("bob's own word", "10.2.0.1"));
    clock.advance(Duration.ofSeconds(1));
    assertNull(attempt("bob's own word", "10.2.0.1"));
  }

  /** Who has one address of IPv6 has 2^64. */
  @Test
  void addressesOfOneNetworkOfIpv6AreOne() {
    bobExists();
    int looked = 0;
    for (int i = 0; i < 50; i++) {
      looked += attempt("guess " + i, "2001:db8:0:1:0:0:0:" + i) == Kind.REFUSED ? 1 : 0;
    }
    assertEquals(FailedLogins.FREE + 1, looked);
    assertEquals(Kind.THROTTLED, attempt("guess", "2001:db8:0:1:ffff:1:2:3%eth0"));
    assertEquals(Kind.REFUSED, attempt("guess", "2001:db8:0:2:0:0:0:1"));
    assertEquals(Kind.REFUSED, attempt("guess", "0:0:0:0:0:0:0:1"));
    assertEquals(Kind.REFUSED, attempt("guess", "::1"));
  }

  /** Who is locked or dropped must not become somebody else by another name. */
  @Test
  void theFirstNameOfACertificateDecides() {
    var unused = accounts.createUser("alice", "", false).join();
    unused = accounts.createUser("alice@example.com", "", false).join();
    List<String> names = List.of("alice", "alice@example.com");
    assertEquals("alice", authenticator.identify(null, names, "h").join().account());
    unused = accounts.setLocked("alice", true).join();
    assertEquals(Kind.REFUSED, kind(authenticator.identify(null, names, "h")));
    unused = accounts.drop("alice").join();
    assertEquals(Kind.REFUSED, kind(authenticator.identify(null, names, "h")));
  }

  @Test
  void aNewPasswordEndsWhatTheOldOneBought() {
    bobExists();
    CompletableFuture<Authenticator.Token> token =
        authenticator.logIn("bob", "bob's own word", "10.0.0.7");
    check();
    String header = "Bearer " + token.join().text();
    assertEquals("bob", authenticator.identify(header, List.of(), "10.0.0.7").join().account());
    CompletableFuture<String> hash = authenticator.hash("another word");
    check();
    assertEquals(List.of(), accounts.setPassword("bob", hash.join()).join());
    assertEquals(Kind.REFUSED, kind(authenticator.identify(header, List.of(), "10.0.0.7")));
    assertEquals(Kind.REFUSED, attempt("bob's own word", "10.0.0.7"), "it is not remembered");
    assertNull(attempt("another word", "10.0.0.7"));
  }

  @Test
  void whoCameWithATokenIsNobodyWhenItsTimeIsOver() {
    bobExists();
    CompletableFuture<Authenticator.Token> token =
        authenticator.logIn("bob", "bob's own word", "10.0.0.7");
    check();
    Identity bob =
        authenticator.identify("Bearer " + token.join().text(), List.of(), "10.0.0.7").join();
    assertFalse(authenticator.hasEnded(bob));
    clock.advance(Duration.ofHours(1));
    assertTrue(authenticator.hasEnded(bob));
    assertFalse(authenticator.hasEnded(new Identity("bob", Identity.Proof.PASSWORD, 1)));
  }
}
