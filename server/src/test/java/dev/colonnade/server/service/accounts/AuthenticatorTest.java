package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
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
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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

  private static AuthenticationException.Kind kind(CompletableFuture<?> refused) {
    CompletionException failure = assertThrows(CompletionException.class, refused::join);
    return assertInstanceOf(AuthenticationException.class, failure.getCause()).kind();
  }

  /** Names that were made up are as slow as others, and would fill all places. */
  @Test
  void aStrangerWithManyNamesLeavesPlacesToOtherAddresses() {
    CompletableFuture<String> hash = authenticator.hash("bob's own word");
    check();
    assertEquals(List.of(), accounts.createUser("bob", hash.join(), false).join());
    List<CompletableFuture<Identity>> guesses = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      guesses.add(password("name" + i, "guessed word", "10.0.0.66"));
    }
    assertEquals(PasswordPlaces.ADDRESS_MAX, stage.size());
    assertEquals(AuthenticationException.Kind.BUSY, kind(guesses.get(199)));
    CompletableFuture<Identity> bob = password("bob", "bob's own word", "10.0.0.7");
    check();
    assertEquals("bob", bob.join().account());
    assertEquals(AuthenticationException.Kind.REFUSED, kind(guesses.get(0)));
    CompletableFuture<Identity> again = password("bob", "bob's own word", "10.0.0.66");
    check();
    assertEquals("bob", again.join().account(), "the places are free again");
  }

  @Test
  void strangersWithManyAddressesLeavePlacesToThoseWhoWereLetInBefore() {
    CompletableFuture<String> hash = authenticator.hash("bob's own word");
    check();
    assertEquals(List.of(), accounts.createUser("bob", hash.join(), false).join());
    CompletableFuture<Identity> first = password("bob", "bob's own word", "10.0.0.7");
    check();
    assertEquals("bob", first.join().account());
    List<CompletableFuture<Identity>> guesses = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      guesses.add(password("name" + i, "guessed word", "10.0.1." + i % 200));
    }
    assertEquals(PasswordPlaces.STRANGERS_MAX, stage.size());
    assertEquals(AuthenticationException.Kind.BUSY, kind(guesses.get(399)));
    CompletableFuture<Identity> mistyped = password("bob", "not bob's word", "10.0.0.7");
    assertEquals(PasswordPlaces.STRANGERS_MAX + 1, stage.size());
    check();
    assertEquals(AuthenticationException.Kind.REFUSED, kind(mistyped));
    CompletableFuture<Identity> stranger = password("eve", "guessed word", "10.0.2.1");
    check();
    assertEquals(AuthenticationException.Kind.REFUSED, kind(stranger), "the places are free again");
  }

  /** Who is locked or dropped must not become somebody else by another name. */
  @Test
  void theFirstNameOfACertificateDecides() {
    var unused = accounts.createUser("alice", "", false).join();
    unused = accounts.createUser("alice@example.com", "", false).join();
    List<String> names = List.of("alice", "alice@example.com");
    assertEquals("alice", authenticator.identify(null, names, "h").join().account());
    unused = accounts.setLocked("alice", true).join();
    assertEquals(
        AuthenticationException.Kind.REFUSED, kind(authenticator.identify(null, names, "h")));
    unused = accounts.drop("alice").join();
    assertEquals(
        AuthenticationException.Kind.REFUSED, kind(authenticator.identify(null, names, "h")));
  }

  @Test
  void whoCameWithATokenIsNobodyWhenItsTimeIsOver() {
    CompletableFuture<String> hash = authenticator.hash("bob's own word");
    check();
    var unused = accounts.createUser("bob", hash.join(), false).join();
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

  @Test
  void refusedCallsBeyondARateAreCountedAndNotWritten() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.NAME);
    lines.start();
    logger.addAppender(lines);
    try {
      for (int i = 0; i < 500; i++) {
        audit.denied("bob", "10.0.0.7", "a.B/C", "WRITE");
      }
      assertEquals(AuditLog.FAILURES_MAX, lines.list.size());
      clock.advance(Duration.ofMinutes(1));
      audit.denied("bob", "10.0.0.7", "a.B/C", "WRITE");
      assertEquals(
          "event=denied_unwritten count=" + (500 - AuditLog.FAILURES_MAX),
          lines.list.get(AuditLog.FAILURES_MAX).getFormattedMessage());
      assertEquals(
          "event=denied account=\"bob\" address=\"10.0.0.7\" call=\"a.B/C\" needs=\"WRITE\"",
          lines.list.get(AuditLog.FAILURES_MAX + 1).getFormattedMessage());
    } finally {
      logger.detachAppender(lines);
    }
  }
}
