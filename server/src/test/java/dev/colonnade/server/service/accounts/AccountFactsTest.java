package dev.colonnade.server.service.accounts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Nodes that know the same facts have the same accounts, however they learned of them. */
final class AccountFactsTest {

  private static final List<String> FIELDS =
      List.of(
          AccountField.KIND,
          AccountField.DROPPED,
          AccountField.PASSWORD,
          AccountField.LOCKED,
          AccountField.memberOf("role1"),
          AccountField.grant(Permission.READ, new Resource("K", "F")));

  private static AccountFact fact(String account, String field, long version, String value) {
    return new AccountFact(account, field, version, value.getBytes(StandardCharsets.UTF_8));
  }

  private static List<AccountFact> random(Random random) {
    List<AccountFact> facts = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      facts.add(
          fact(
              "user" + random.nextInt(3),
              FIELDS.get(random.nextInt(FIELDS.size())),
              1 + random.nextInt(8),
              List.of("", "a", "b", AccountField.USER).get(random.nextInt(4))));
    }
    return facts;
  }

  private static AccountFacts of(List<AccountFact> facts) {
    AccountFacts all = new AccountFacts();
    facts.forEach(all::put);
    return all;
  }

  @Test
  void theOrderOfFactsDoesNotMatter() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      List<AccountFact> facts = random(random);
      AccountFacts one = of(facts);
      List<AccountFact> shuffled = new ArrayList<>(facts);
      shuffled.addAll(facts.subList(0, 20));
      Collections.shuffle(shuffled, random);
      AccountFacts other = of(shuffled);
      assertArrayEquals(one.digests(), other.digests(), "seed " + seed);
      assertEquals(
          AccessPolicy.of(one).accounts(), AccessPolicy.of(other).accounts(), "seed " + seed);
      assertEquals(one.size(), other.size(), "seed " + seed);
    }
  }

  /** Pages of what differs make two nodes equal, whatever each had. */
  @Test
  void pagesOfDifferencesMakeTwoNodesEqual() {
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      AccountFacts one = of(random(random));
      AccountFacts other = of(random(random));
      pull(one, other);
      pull(other, one);
      assertArrayEquals(one.digests(), other.digests(), "seed " + seed);
      assertEquals(List.of(), one.differing(other.digests(), "", 1).facts(), "seed " + seed);
    }
  }

  private static void pull(AccountFacts to, AccountFacts from) {
    long[] digests = to.digests();
    String after = "";
    do {
      AccountFacts.Page page = from.differing(digests, after, 1);
      page.facts().forEach(to::put);
      after = page.reached();
    } while (!after.isEmpty());
  }

  @Test
  void aDropVoidsWhatWasBeforeItAndNothingAfter() {
    AccountFacts facts =
        of(
            List.of(
                fact("bob", AccountField.KIND, 1, AccountField.USER),
                fact("bob", AccountField.LOCKED, 2, AccountField.YES),
                fact("bob", AccountField.DROPPED, 3, AccountField.YES)));
    assertFalse(facts.exists("bob"));
    facts.put(fact("bob", AccountField.KIND, 4, AccountField.USER));
    assertTrue(facts.exists("bob"));
    assertEquals(List.of("kind"), facts.of("bob").stream().map(AccountFact::field).toList());
  }

  @Test
  void aCopyDoesNotChangeWithTheOriginal() {
    AccountFacts facts = of(List.of(fact("bob", AccountField.KIND, 1, AccountField.USER)));
    AccountFacts copy = facts.copy();
    facts.put(fact("bob", AccountField.DROPPED, 2, AccountField.YES));
    assertTrue(copy.exists("bob"));
    assertFalse(facts.exists("bob"));
    assertEquals(1, copy.size());
  }
}
