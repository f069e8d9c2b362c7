package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.SimClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What may be changed of the accounts of a cluster. */
final class AccountsTest {

  private static AccountFact fact(String account, String field, String value) {
    return new AccountFact(account, field, 1, value.getBytes(StandardCharsets.UTF_8));
  }

  /** A node with a wrong clock, or one that lies, could otherwise have the last word for ever. */
  @Test
  void factsFromTheFutureAreNotTakenAndLaterChangesStillHold() {
    SimClock clock = new SimClock();
    long now = clock.wallMicros();
    Accounts accounts =
        new Accounts(facts -> CompletableFuture.completedFuture(null), clock, List.of());
    assertEquals(List.of(), accounts.createUser("bob", "", false).join());
    byte[] yes = AccountField.YES.getBytes(StandardCharsets.UTF_8);
    long day = Accounts.AHEAD_MAX.toNanos() / 1_000;
    for (long version : List.of(Long.MAX_VALUE, now + 2 * day)) {
      accounts.merge(List.of(new AccountFact("bob", AccountField.SUPERUSER, version, yes))).join();
      assertFalse(accounts.policy().isSuperuser("bob"));
    }
    accounts
        .merge(List.of(new AccountFact("bob", AccountField.SUPERUSER, now + day / 2, yes)))
        .join();
    assertTrue(accounts.policy().isSuperuser("bob"));
  }

  /** Each of the calls leaves another administrator, as long as it is the only one. */
  @Test
  void callsAtOnceLeaveAnAdministrator() throws Exception {
    Accounts accounts =
        new Accounts(facts -> CompletableFuture.completedFuture(null), new SimClock(), List.of());
    int users = 8;
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < users; i++) {
        String name = "admin" + round + "." + i;
        assertEquals(List.of(), accounts.createUser(name, "", true).join());
      }
      List<String> all = accounts.policy().administrators();
      CyclicBarrier start = new CyclicBarrier(all.size());
      AtomicInteger refused = new AtomicInteger();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        String name = all.get(i);
        int how = i % 3;
        Thread caller =
            new Thread(
                () -> {
                  try {
                    start.await();
                    var unused =
                        switch (how) {
                          case 0 -> accounts.setSuperuser(name, false);
                          case 1 -> accounts.setLocked(name, true);
                          default -> accounts.drop(name);
                        };
                  } catch (AccountException last) {
                    if (last.kind() == AccountException.Kind.LAST_ADMINISTRATOR) {
                      refused.incrementAndGet();
                    }
                  } catch (InterruptedException | BrokenBarrierException e) {
                    throw new AssertionError(e);
                  }
                });
        caller.start();
        callers.add(caller);
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertEquals(1, accounts.policy().administrators().size(), "round " + round);
      assertEquals(1, refused.get(), "round " + round);
    }
  }

  /** Otherwise no one could be kept out of a cluster that has too many grants. */
  @Test
  void whereNothingMoreCanBeGrantedUsersAreLockedAndDroppedAllTheSame() {
    List<AccountFact> saved = new ArrayList<>();
    for (String name : List.of("admin", "bob", "carol")) {
      saved.add(fact(name, AccountField.KIND, AccountField.USER));
    }
    saved.add(fact("admin", AccountField.SUPERUSER, AccountField.YES));
    for (int i = 0; saved.size() < Accounts.FACTS_MAX; i++) {
      Resource on = new Resource("K", "F" + i);
      saved.add(fact("bob", AccountField.grant(Permission.READ, on), AccountField.YES));
    }
    Accounts full =
        new Accounts(facts -> CompletableFuture.completedFuture(null), new SimClock(), saved);
    AccountException refused =
        assertThrows(AccountException.class, () -> full.createUser("dave", "", false));
    assertEquals(AccountException.Kind.TOO_MANY, refused.kind());
    assertEquals(List.of(), full.setLocked("bob", true).join());
    assertFalse(full.policy().mayLogIn("bob"));
    assertEquals(List.of(), full.drop("carol").join());
    assertFalse(full.policy().account("carol").isPresent());
  }
}
