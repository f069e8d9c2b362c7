package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.sim.SimClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What may be changed of the accounts of a cluster. */
final class AccountsTest {

  private static AccountFact fact(String account, String field, String value) {
    return new AccountFact(account, field, 1, value.getBytes(StandardCharsets.UTF_8));
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
