package dev.colonnade.server.service.accounts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All facts about accounts that a node knows. They merge field by field, so that nodes that know
 * the same facts have the same accounts. Not thread-safe.
 */
final class AccountFacts {

  /**
   * In so many parts nodes compare what they know, so that one change costs a small part of all.
   */
  static final int PARTS = 64;

  private final NavigableMap<String, NavigableMap<String, AccountFact>> accounts = new TreeMap<>();
  private final long[] digests = new long[PARTS];
  private int size;
  private long newest;

  /** Another one that knows the same, to try a change on. */
  AccountFacts copy() {
    AccountFacts copy = new AccountFacts();
    accounts.forEach((name, fields) -> copy.accounts.put(name, new TreeMap<>(fields)));
    System.arraycopy(digests, 0, copy.digests, 0, PARTS);
    copy.size = size;
    copy.newest = newest;
    return copy;
  }

  /**
   * Adds a fact unless a later one about the field is known.
   *
   * @return whether it stands now
   */
  boolean put(AccountFact fact) {
    NavigableMap<String, AccountFact> fields =
        accounts.computeIfAbsent(fact.account(), name -> new TreeMap<>());
    AccountFact known = fields.get(fact.field());
    if (known != null && !fact.beats(known)) {
      return false;
    }
    fields.put(fact.field(), fact);
    int part = part(fact.account());
    digests[part] += fact.digest() - (known == null ? 0 : known.digest());
    size += known == null ? 1 : 0;
    newest = Math.max(newest, fact.version());
    return true;
  }

  private @Nullable AccountFact known(String account, String field) {
    NavigableMap<String, AccountFact> fields = accounts.get(account);
    return fields == null ? null : fields.get(field);
  }

  /** The fact about a field that holds now: not removed, and not from before the account's drop. */
  @Nullable AccountFact find(String account, String field) {
    AccountFact fact = known(account, field);
    return fact == null || isVoid(fact, known(account, AccountField.DROPPED)) ? null : fact;
  }

  private static boolean isVoid(AccountFact fact, @Nullable AccountFact dropped) {
    return fact.isRemoved() || (dropped != null && fact.version() <= dropped.version());
  }

  /** Whether a fact is later than the last drop of an account, if there was one. */
  boolean isAfterDrop(AccountFact fact, String account) {
    return !isVoid(fact, known(account, AccountField.DROPPED));
  }

  /** The names of all accounts that exist, in order. */
  List<String> names() {
    return accounts.keySet().stream().filter(this::exists).toList();
  }

  boolean exists(String account) {
    return find(account, AccountField.KIND) != null;
  }

  /** The facts about an account that hold now. */
  List<AccountFact> of(String account) {
    NavigableMap<String, AccountFact> fields = accounts.get(account);
    if (fields == null) {
      return List.of();
    }
    AccountFact dropped = fields.get(AccountField.DROPPED);
    return fields.values().stream().filter(fact -> !isVoid(fact, dropped)).toList();
  }

  /**
   * The user that was relied on last to remain an administrator, whether it exists or not; of
   * several at the same version the one that is last by name. Null if there is none.
   */
  @Nullable String reliedOnLast() {
    String last = null;
    long version = Long.MIN_VALUE;
    for (String name : accounts.keySet()) {
      AccountFact relied = known(name, AccountField.RELIED_ON);
      AccountFact kind = known(name, AccountField.KIND);
      boolean isUser = kind != null && kind.text().equals(AccountField.USER);
      if (relied != null && isUser && relied.version() >= version) {
        last = name;
        version = relied.version();
      }
    }
    return last;
  }

  /**
   * The password of a user, also of one that was dropped; null if it has none, or has none since it
   * was created again.
   */
  @Nullable AccountFact passwordInSpiteOfDrop(String account) {
    AccountFact password = known(account, AccountField.PASSWORD);
    AccountFact kind = known(account, AccountField.KIND);
    boolean holds =
        password != null
            && kind != null
            && !password.isRemoved()
            && password.version() >= kind.version();
    return holds ? password : null;
  }

  /** All facts about accounts, those included that hold no more. */
  List<AccountFact> all() {
    return accounts.values().stream().flatMap(fields -> fields.values().stream()).toList();
  }

  /** How many facts are known, those included that hold no more. */
  int size() {
    return size;
  }

  /** The greatest version of any fact; 0 if there is none. */
  long newest() {
    return newest;
  }

  /** Sums of the digests of the facts of each part: equal where two nodes know the same. */
  long[] digests() {
    return digests.clone();
  }

  /** The part that an account is in. */
  static int part(String account) {
    return Math.floorMod(account.hashCode(), PARTS);
  }

  /**
   * Facts of accounts whose parts differ, in the order of names, until they have so many bytes;
   * those of one account are never divided.
   *
   * @param after begins after this name; empty for the first
   */
  Page differing(long[] others, String after, long bytes) {
    List<AccountFact> page = new ArrayList<>();
    long sum = 0;
    for (var account : accounts.tailMap(after, false).entrySet()) {
      int part = part(account.getKey());
      if (others[part] == digests[part]) {
        continue;
      }
      Collection<AccountFact> facts = account.getValue().values();
      page.addAll(facts);
      for (AccountFact fact : facts) {
        sum += fact.field().length() + fact.value().length + 32L;
      }
      if (sum >= bytes) {
        return new Page(page, account.getKey());
      }
    }
    return new Page(page, "");
  }

  /**
   * Some of the facts that differ.
   *
   * @param reached where the next page begins; empty after the last one
   */
  record Page(List<AccountFact> facts, String reached) {}
}
