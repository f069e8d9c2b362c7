package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What follows from grants and roles. */
final class AccessPolicyTest {

  private final AccountFacts facts = new AccountFacts();
  private long version;

  private void put(String account, String field, String value) {
    version++;
    facts.put(new AccountFact(account, field, version, value.getBytes(StandardCharsets.UTF_8)));
  }

  private void user(String name) {
    put(name, AccountField.KIND, AccountField.USER);
  }

  private void role(String name) {
    put(name, AccountField.KIND, AccountField.ROLE);
  }

  private void grant(String account, Permission permission, String keyspace, String family) {
    put(account, AccountField.grant(permission, new Resource(keyspace, family)), AccountField.YES);
  }

  private boolean allows(String account, Permission permission, String keyspace, String family) {
    return AccessPolicy.of(facts).allows(account, permission, keyspace, family);
  }

  @Test
  void nothingIsAllowedThatWasNotGranted() {
    user("bob");
    for (Permission permission : Permission.values()) {
      assertFalse(allows("bob", permission, "", ""), permission.name());
      assertFalse(allows("bob", permission, "K", ""), permission.name());
      assertFalse(allows("bob", permission, "K", "F"), permission.name());
      assertFalse(allows("no one", permission, "K", "F"), permission.name());
    }
  }

  /** Every permission, on everything it can be granted on, against every question. */
  @Test
  void aGrantHoldsWithinWhatItIsOnAndNowhereElse() {
    Resource[] all = {
      Resource.CLUSTER, new Resource("K", ""), new Resource("K", "F"), new Resource("L", "F")
    };
    for (Permission granted : Permission.values()) {
      for (Resource on : all) {
        AccountFacts one = new AccountFacts();
        one.put(
            new AccountFact(
                "bob", AccountField.KIND, 1, AccountField.USER.getBytes(StandardCharsets.UTF_8)));
        one.put(new AccountFact("bob", AccountField.grant(granted, on), 2, new byte[] {1}));
        AccessPolicy policy = AccessPolicy.of(one);
        for (Permission asked : Permission.values()) {
          for (Resource about : all) {
            boolean within =
                on.isCluster()
                    || (on.keyspace().equals(about.keyspace())
                        && (on.family().isEmpty() || on.family().equals(about.family())));
            assertEquals(
                granted == asked && within,
                policy.allows("bob", asked, about.keyspace(), about.family()),
                granted + " on " + on + ", asked for " + asked + " on " + about);
          }
        }
      }
    }
  }

  @Test
  void theClusterIsAllKeyspacesButTheNodesOwn() {
    user("bob");
    grant("bob", Permission.READ, "", "");
    assertTrue(allows("bob", Permission.READ, "K", "F"));
    assertFalse(allows("bob", Permission.READ, "system", "Peers"));
    grant("bob", Permission.READ, "system", "Peers");
    assertTrue(allows("bob", Permission.READ, "system", "Peers"));
    assertFalse(allows("bob", Permission.READ, "system", "Local"));
  }

  /** Names of families are free text, and stand in the field of a grant. */
  @Test
  void aFamilyMayHaveDotsAndSlashesInItsName() {
    user("bob");
    grant("bob", Permission.READ, "K", "a.b/c");
    assertTrue(allows("bob", Permission.READ, "K", "a.b/c"));
    assertFalse(allows("bob", Permission.READ, "K", "a"));
    assertFalse(allows("bob", Permission.READ, "K", "b/c"));
    assertFalse(allows("bob", Permission.READ, "K.a", "b/c"));
  }

  @Test
  void aLockedUserMayDoNothing() {
    user("bob");
    put("bob", AccountField.SUPERUSER, AccountField.YES);
    assertTrue(AccessPolicy.of(facts).mayLogIn("bob"));
    put("bob", AccountField.LOCKED, AccountField.YES);
    assertFalse(AccessPolicy.of(facts).mayLogIn("bob"));
  }

  @Test
  void rolesCannotLogIn() {
    role("writers");
    assertFalse(AccessPolicy.of(facts).mayLogIn("writers"));
  }

  /** Two nodes can each be told one half of a circle. */
  @Test
  void rolesInACircleShareTheirPermissionsAndEnd() {
    user("bob");
    role("one");
    role("other");
    put("bob", AccountField.memberOf("one"), AccountField.YES);
    put("one", AccountField.memberOf("other"), AccountField.YES);
    put("other", AccountField.memberOf("one"), AccountField.YES);
    grant("other", Permission.READ, "K", "");
    assertTrue(allows("bob", Permission.READ, "K", "F"));
    assertTrue(allows("one", Permission.READ, "K", "F"));
    assertFalse(allows("bob", Permission.WRITE, "K", "F"));
  }

  @Test
  void membershipOfADroppedRoleIsWorthNothing() {
    user("bob");
    role("readers");
    put("bob", AccountField.memberOf("readers"), AccountField.YES);
    grant("readers", Permission.READ, "K", "");
    assertTrue(allows("bob", Permission.READ, "K", "F"));
    put("readers", AccountField.DROPPED, AccountField.YES);
    assertFalse(allows("bob", Permission.READ, "K", "F"));
  }

  /** Who belonged to a role that was dropped has nothing of what is called the same afterwards. */
  @Test
  void aMembershipEndsWithItsRole() {
    user("bob");
    role("ops");
    put("bob", AccountField.memberOf("ops"), AccountField.YES);
    put("ops", AccountField.SUPERUSER, AccountField.YES);
    assertTrue(AccessPolicy.of(facts).isSuperuser("bob"));

    put("ops", AccountField.DROPPED, AccountField.YES);
    role("ops");
    put("ops", AccountField.SUPERUSER, AccountField.YES);
    assertFalse(AccessPolicy.of(facts).isSuperuser("bob"));
    assertTrue(AccessPolicy.of(facts).account("bob").orElseThrow().roles().isEmpty());

    put("ops", AccountField.DROPPED, AccountField.YES);
    user("ops");
    put("ops", AccountField.SUPERUSER, AccountField.YES);
    assertFalse(AccessPolicy.of(facts).isSuperuser("bob"));
    put("bob", AccountField.memberOf("ops"), AccountField.YES);
    assertFalse(AccessPolicy.of(facts).isSuperuser("bob"), "no one is a member of a user");

    put("ops", AccountField.DROPPED, AccountField.YES);
    role("ops");
    put("ops", AccountField.SUPERUSER, AccountField.YES);
    put("bob", AccountField.memberOf("ops"), AccountField.YES);
    assertTrue(AccessPolicy.of(facts).isSuperuser("bob"));
  }
}
