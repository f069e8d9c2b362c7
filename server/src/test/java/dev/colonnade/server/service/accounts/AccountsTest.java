package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.SimClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
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

  /** Two nodes, each of which takes administration from a user that the other one relies on. */
  private static final class TwoNodes {
    private final SimClock clock = new SimClock();
    private final List<AccountFact> byA = new ArrayList<>();
    private final List<AccountFact> byB = new ArrayList<>();
    private final Accounts a = new Accounts(saving(byA), clock, List.of());
    private final Accounts b = new Accounts(saving(byB), clock, List.of());

    private static Accounts.Storage saving(List<AccountFact> into) {
      return facts -> {
        into.addAll(facts);
        return CompletableFuture.completedFuture(null);
      };
    }

    /** Tells each of them what the other one stated or heard. */
    void meet() {
      List<AccountFact> ofA = List.copyOf(byA);
      a.merge(List.copyOf(byB)).join();
      b.merge(ofA).join();
      assertArrayEquals(a.digests(), b.digests());
      assertEquals(a.policy().administrators(), b.policy().administrators());
      assertEquals(a.policy().kept(), b.policy().kept());
    }
  }

  private static void done(CompletableFuture<List<String>> change) {
    assertEquals(List.of(), change.join());
  }

  private static void take(Accounts at, String name, int how) {
    List<String> missing =
        switch (how) {
          case 0 -> at.setSuperuser(name, false).join();
          case 1 -> at.setLocked(name, true).join();
          default -> at.drop(name).join();
        };
    assertEquals(List.of(), missing);
  }

  @Test
  void twoNodesThatTakeAdministrationFromDifferentUsersAtOnceLeaveOne() {
    for (int how = 0; how < 9; how++) {
      TwoNodes nodes = new TwoNodes();
      done(nodes.a.createUser("xenia", "hash of xenia", true));
      done(nodes.a.createUser("yuri", "hash of yuri", true));
      done(nodes.a.createUser("bob", "", false));
      nodes.meet();
      take(nodes.a, "xenia", how % 3);
      take(nodes.b, "yuri", how / 3);
      nodes.meet();
      List<String> left = nodes.a.policy().administrators();
      assertEquals(1, left.size(), "ways " + how);
      String kept = left.get(0);
      assertEquals(
          "hash of " + kept, Objects.requireNonNull(nodes.a.policy().password(kept)).hash());
      // It remains the last one, whatever is done to it, and may do all else.
      Accounts node = nodes.a;
      assertFalse(isTaken(node, kept, 0));
      assertFalse(isTaken(node, kept, 1));
      assertFalse(isTaken(node, kept, 2));
      assertThrows(AccountException.class, () -> node.createUser(kept, "another", false));
      assertEquals(List.of(kept), node.policy().administrators());
      done(node.createUser("carol", "", false));
      // With another administrator, what was done to the kept one takes effect.
      done(node.setSuperuser("bob", true));
      nodes.meet();
      assertEquals(List.of("bob"), nodes.b.policy().administrators());
    }
  }

  private static boolean isTaken(Accounts at, String name, int how) {
    try {
      take(at, name, how);
      return true;
    } catch (AccountException refused) {
      return false;
    }
  }

  /** What nobody relied on is no administrator, although it was "demoted" last. */
  @Test
  void aUserThatNeverWasAnAdministratorIsNotMadeOne() {
    TwoNodes nodes = new TwoNodes();
    done(nodes.a.createUser("xenia", "", true));
    done(nodes.a.createUser("yuri", "", true));
    done(nodes.a.createUser("zoe", "", false));
    nodes.meet();
    take(nodes.a, "xenia", 0);
    take(nodes.b, "yuri", 0);
    take(nodes.a, "zoe", 0);
    nodes.meet();
    assertFalse(nodes.a.policy().isSuperuser("zoe"));
    assertEquals(1, nodes.a.policy().administrators().size());
  }

  /**
   * Nodes that merge the same facts in any order and any pieces agree, and have an administrator.
   */
  @Test
  void nodesThatTakeAdministrationAtOnceAgreeOnWhoRemains() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      SimClock clock = new SimClock();
      List<List<AccountFact>> stated = new ArrayList<>();
      List<Accounts> nodes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        List<AccountFact> mine = new ArrayList<>();
        stated.add(mine);
        nodes.add(new Accounts(TwoNodes.saving(mine), clock, List.of()));
      }
      done(nodes.get(0).createUser("user0", "", true));
      for (Accounts node : nodes) {
        node.merge(List.copyOf(stated.get(0))).join();
      }
      for (int round = 0; round < 4; round++) {
        for (int step = 0; step < 12; step++) {
          clock.advance(Duration.ofMillis(random.nextInt(3)));
          step(nodes.get(random.nextInt(nodes.size())), random);
        }
        List<AccountFact> all = new ArrayList<>();
        stated.forEach(all::addAll);
        for (Accounts node : nodes) {
          Collections.shuffle(all, random);
          int half = random.nextInt(all.size() + 1);
          node.merge(List.copyOf(all.subList(half, all.size()))).join();
          node.merge(List.copyOf(all.subList(0, half))).join();
          // It learned of administrators that others made, and that others took, in part.
          List<String> here = node.policy().administrators();
          assertEquals(nodes.get(0).policy().administrators(), here, "seed " + seed);
          assertEquals(nodes.get(0).policy().kept(), node.policy().kept(), "seed " + seed);
          assertFalse(here.isEmpty(), "seed " + seed);
        }
      }
    }
  }

  /** One change that may be refused, of one of few users, most of which are administrators. */
  private static void step(Accounts at, Random random) {
    String name = "user" + random.nextInt(4);
    int what = random.nextInt(8);
    try {
      List<String> unused =
          switch (what) {
            case 0, 1 -> at.createUser(name, "", true).join();
            case 2 -> at.setSuperuser(name, true).join();
            case 3 -> at.setLocked(name, false).join();
            case 4 -> at.setSuperuser(name, false).join();
            case 5 -> at.setLocked(name, true).join();
            default -> at.drop(name).join();
          };
    } catch (AccountException refused) {
      assertNotEquals(AccountException.Kind.TOO_MANY, refused.kind());
    }
  }
}
