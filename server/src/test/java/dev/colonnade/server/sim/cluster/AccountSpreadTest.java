package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.config.AccessSettings.Authentication;
import dev.colonnade.server.service.accounts.AccessPolicy;
import dev.colonnade.server.service.accounts.Account;
import dev.colonnade.server.service.accounts.AccountReplication;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.accounts.Grant;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.server.service.accounts.Resource;
import dev.colonnade.server.sim.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Accounts that are made on one node hold on all, through restarts, partitions and power cuts. */
final class AccountSpreadTest extends MembershipScenario {

  private static final String HASH = "pbkdf2-sha512:100000:AAAA:AAAA";
  private static final Grant READ = new Grant(Permission.READ, new Resource("K", ""));

  AccountSpreadTest() {
    super(Authentication.PASSWORD);
  }

  private List<String> change(int at, Function<Accounts, CompletableFuture<List<String>>> change) {
    return await(world.machines().get(at), node -> change.apply(node.core().accounts()));
  }

  private AccessPolicy policy(int at) {
    return world.machines().get(at).node().orElseThrow().core().accounts().policy();
  }

  private boolean reads(int at, String account) {
    return policy(at).allows(account, Permission.READ, "K", "F");
  }

  private void cutOff(int one) {
    Machine<CoreNode> alone = world.machines().get(one);
    List<Machine<CoreNode>> others =
        world.machines().stream().filter(each -> each != alone).toList();
    world.network().partition(List.of(others, List.of(alone)));
  }

  @Test
  void aChangeHoldsOnAllNodesWhenItsCallerIsAnswered() throws Exception {
    begin(3);
    assertEquals(List.of(), change(0, accounts -> accounts.createUser("bob", HASH, false)));
    assertEquals(List.of(), change(1, accounts -> accounts.setGrant("bob", READ, true)));
    for (int node = 0; node < 3; node++) {
      assertTrue(policy(node).mayLogIn("bob"), "node " + node);
      assertTrue(reads(node, "bob"), "node " + node);
    }
    assertEquals(List.of(), change(2, accounts -> accounts.setGrant("bob", READ, false)));
    for (int node = 0; node < 3; node++) {
      assertFalse(reads(node, "bob"), "node " + node);
    }
  }

  @Test
  void aNodeThatWasDownLearnsOfARevokedPermissionSoonAfterItsStart() throws Exception {
    begin(3);
    change(0, accounts -> accounts.createUser("bob", HASH, false));
    change(0, accounts -> accounts.setGrant("bob", READ, true));
    Machine<CoreNode> third = world.machines().get(2);
    third.kill();
    assertTrue(
        world.runUntil(
            () -> {
              var topology =
                  world.machines().get(0).node().orElseThrow().core().cluster().topology();
              return topology.places().stream().filter(place -> place.alive()).count() == 2;
            },
            LIMIT),
        "the others notice");
    change(0, accounts -> accounts.setGrant("bob", READ, false));
    third.start();
    assertTrue(
        world.runUntil(() -> third.node().filter(CoreNode::isStarted).isPresent(), LIMIT),
        "it starts");
    assertTrue(policy(2).mayLogIn("bob"), "what it had saved is there");
    assertTrue(
        world.runUntil(() -> !reads(2, "bob"), AccountReplication.PERIOD.multipliedBy(2)),
        "it learns of the change");
  }

  @Test
  void changesOnBothSidesOfAPartitionBecomeOne() throws Exception {
    begin(3);
    change(0, accounts -> accounts.createUser("bob", HASH, false));
    cutOff(2);
    assertTrue(
        world.runUntil(
            () ->
                world
                        .machines()
                        .get(2)
                        .node()
                        .orElseThrow()
                        .core()
                        .cluster()
                        .topology()
                        .places()
                        .stream()
                        .filter(place -> place.alive())
                        .count()
                    == 1,
            LIMIT),
        "it is alone");
    change(2, accounts -> accounts.setGrant("bob", READ, true));
    change(0, accounts -> accounts.createRole("writers", false));
    change(0, accounts -> accounts.setMember("bob", "writers", true));
    world.network().heal();
    assertTrue(
        world.runUntil(
            () -> {
              for (int node = 0; node < 3; node++) {
                if (!reads(node, "bob")
                    || !policy(node).account("bob").orElseThrow().roles().contains("writers")) {
                  return false;
                }
              }
              return true;
            },
            Duration.ofMinutes(1)),
        "all nodes have both changes");
  }

  @Test
  void whatWasAcknowledgedSurvivesAPowerCutOfAllNodes() throws Exception {
    begin(3);
    change(0, accounts -> accounts.createUser("bob", HASH, false));
    change(0, accounts -> accounts.setGrant("bob", READ, true));
    for (Machine<CoreNode> machine : world.machines()) {
      machine.powerCut();
    }
    for (Machine<CoreNode> machine : world.machines()) {
      machine.start();
    }
    for (int node = 0; node < 3; node++) {
      assertTrue(policy(node).mayLogIn("bob"), "node " + node);
      assertTrue(reads(node, "bob"), "node " + node);
    }
  }

  @Test
  void aNodeThatJoinsLaterHasTheAccounts() throws Exception {
    begin(2);
    change(0, accounts -> accounts.createUser("bob", HASH, false));
    add();
    assertTrue(
        world.runUntil(
            () ->
                world
                    .machines()
                    .get(2)
                    .node()
                    .filter(node -> node.core().accounts().policy().mayLogIn("bob"))
                    .isPresent(),
            LIMIT),
        "it has them");
  }

  /**
   * Two administrators, and two nodes each of which takes administration from one of them: at the
   * same moment, some milliseconds apart, or on both sides of a partition.
   */
  @Test
  void twoNodesThatTakeAdministrationFromDifferentUsersLeaveOne() throws Exception {
    begin(3);
    change(0, accounts -> accounts.createUser("admin0", HASH, true));
    int kept = 0;
    for (int seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      String what = "seed " + seed;
      for (String name : List.of("xenia" + seed, "yuri" + seed)) {
        change(0, accounts -> accounts.createUser(name, HASH, true));
      }
      for (Account account : policy(0).accounts()) {
        if (!account.name().endsWith(String.valueOf(seed)) && account.superuser()) {
          change(0, accounts -> accounts.setSuperuser(account.name(), false));
        }
      }
      boolean apart = seed % 5 == 0;
      if (apart) {
        cutOff(2);
      }
      List<Taken> outcomes = new ArrayList<>();
      for (int node : List.of(0, 2)) {
        String name = (node == 0 ? "xenia" : "yuri") + seed;
        int how = random.nextInt(3);
        Taken outcome = new Taken();
        outcomes.add(outcome);
        world
            .machines()
            .get(node)
            .<List<String>>call(
                each -> Then.called(() -> take(each.core().accounts(), name, how)), outcome::take);
        Duration pause = Duration.ofMillis(random.nextInt(4));
        boolean unused = world.runUntil(() -> false, pause);
      }
      assertTrue(world.runUntil(() -> outcomes.stream().allMatch(each -> each.done), LIMIT), what);
      if (apart) {
        world.network().heal();
      }
      assertTrue(
          world.runUntil(
              () ->
                  Stream.of(0, 1, 2)
                      .allMatch(node -> administrators(node).equals(administrators(0))),
              Duration.ofMinutes(1)),
          what);
      assertEquals(1, administrators(0).size(), what);
      kept += outcomes.stream().allMatch(each -> !each.refused) ? 1 : 0;
    }
    assertTrue(kept > 4, "both were taken in " + kept + " of 20");
  }

  /** How a call ended that takes administration from a user. */
  private static final class Taken {
    private boolean done;
    private boolean refused;

    void take(@Nullable List<String> missing, @Nullable Throwable failure) {
      done = true;
      refused = failure != null;
    }
  }

  private static CompletableFuture<List<String>> take(Accounts at, String name, int how) {
    return switch (how) {
      case 0 -> at.setSuperuser(name, false);
      case 1 -> at.setLocked(name, true);
      default -> at.drop(name);
    };
  }

  private List<String> administrators(int at) {
    return policy(at).accounts().stream()
        .filter(account -> account.superuser() && policy(at).mayLogIn(account.name()))
        .map(Account::name)
        .toList();
  }
}
