package dev.colonnade.server.service.accounts;

import dev.colonnade.server.base.env.Clock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts of the cluster, as this node knows them. A change takes effect on this node at once,
 * is saved, and is then told to the other nodes; what others tell is merged in the same way. A
 * change that is refused changes nothing.
 *
 * <p>Thread-safe; never blocks.
 */
public final class Accounts {

  /**
   * How many facts a node keeps, those of dropped accounts included: each takes some hundred bytes
   * of heap, and all are looked through at every change.
   */
  public static final int FACTS_MAX = 200_000;

  private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);

  /** How far ahead of this node's clock that of another one may be. */
  static final Duration AHEAD_MAX = Duration.ofDays(1);

  /** The holder of facts about no account. */
  static final String CLUSTER = "*cluster";

  /** The key of {@link LoginTokens}. */
  static final String TOKEN_KEY = "token_key";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,127}");
  private static final Pattern KEYSPACE = Pattern.compile("[A-Za-z0-9_]{0,48}");

  /** Names of column families are free text. */
  private static final Pattern FAMILY = Pattern.compile("\\P{Cntrl}{0,128}");

  /** Saves facts on this node. */
  @FunctionalInterface
  public interface Storage {
    /** They are safe from a crash when the future completes. */
    CompletableFuture<Void> save(List<AccountFact> facts);
  }

  private final Storage storage;
  private final Clock clock;

  // Replaced as a whole, by one thread at a time that holds this.
  private AccountFacts facts;
  private volatile AccessPolicy policy;
  private volatile byte @Nullable [] tokenKey;

  private volatile Function<List<AccountFact>, CompletableFuture<List<String>>> spread =
      changed -> CompletableFuture.completedFuture(List.of());

  /**
   * Creates it with what an earlier run saved.
   *
   * @param saved in any order
   */
  public Accounts(Storage storage, Clock clock, List<AccountFact> saved) {
    this.storage = storage;
    this.clock = clock;
    this.facts = new AccountFacts();
    saved.forEach(facts::put);
    this.policy = AccessPolicy.of(facts);
    this.tokenKey = tokenKeyOf(facts);
  }

  /** Tells other nodes of changes from now on. */
  void spreadBy(Function<List<AccountFact>, CompletableFuture<List<String>>> push) {
    spread = push;
  }

  /** Who may do what now. */
  public AccessPolicy policy() {
    return policy;
  }

  /** Whether this node knows of any account. */
  public boolean isEmpty() {
    return policy.accounts().isEmpty();
  }

  /** The key of tokens; null until the first is wanted. */
  byte @Nullable [] tokenKey() {
    return tokenKey;
  }

  /** Digests of what is known, by part. */
  synchronized long[] digests() {
    return facts.digests();
  }

  /** As {@link AccountFacts#differing}. */
  synchronized AccountFacts.Page differing(long[] others, String after, long bytes) {
    return facts.differing(others, after, bytes);
  }

  /** Keeps a key of tokens that was just made; nodes that do so at once agree on one of them. */
  CompletableFuture<List<String>> keepTokenKey(byte[] key) {
    return change(now -> List.of(new AccountFact(CLUSTER, TOKEN_KEY, now.version(), key)));
  }

  /**
   * Creates a user.
   *
   * @param hash of its password; empty for one that logs in by certificates or tokens of others
   *     only
   * @return completes with the ids of nodes that are up and did not take the change in time
   */
  public CompletableFuture<List<String>> createUser(String name, String hash, boolean superuser) {
    return create(name, AccountField.USER, hash, superuser);
  }

  /** Creates a role; otherwise as {@link #createUser}. */
  public CompletableFuture<List<String>> createRole(String name, boolean superuser) {
    return create(name, AccountField.ROLE, "", superuser);
  }

  private CompletableFuture<List<String>> create(
      String name, String kind, String hash, boolean superuser) {
    return change(
        now -> {
          requireName(name);
          if (now.facts().exists(name) || policy.account(name).isPresent()) {
            throw new AccountException(
                AccountException.Kind.EXISTS, "there is already an account named " + name);
          }
          List<AccountFact> made = new ArrayList<>();
          made.add(now.fact(name, AccountField.KIND, kind));
          if (!hash.isEmpty()) {
            made.add(now.fact(name, AccountField.PASSWORD, hash));
          }
          if (superuser) {
            made.add(now.fact(name, AccountField.SUPERUSER, AccountField.YES));
          }
          return made;
        });
  }

  /**
   * Makes the first administrator, unless there is an account already. Nodes that do so at once end
   * with one of the passwords, and every later change of the account stands against them all.
   */
  CompletableFuture<List<String>> createFirst(String name, String hash) {
    return change(
        now ->
            now.facts().names().isEmpty()
                ? List.of(
                    first(name, AccountField.KIND, AccountField.USER),
                    first(name, AccountField.PASSWORD, hash),
                    first(name, AccountField.SUPERUSER, AccountField.YES))
                : List.of());
  }

  private static AccountFact first(String name, String field, String value) {
    return fact(name, field, 1, value);
  }

  private static AccountFact fact(String account, String field, long version, String value) {
    return new AccountFact(account, field, version, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Drops a user or a role, with all that was granted to it. */
  public CompletableFuture<List<String>> drop(String name) {
    return change(
        now -> {
          now.require(name);
          return List.of(now.fact(name, AccountField.DROPPED, AccountField.YES));
        });
  }

  /** Sets a user's password; all its tokens end. */
  public CompletableFuture<List<String>> setPassword(String name, String hash) {
    return change(
        now -> {
          now.requireUser(name);
          return List.of(now.fact(name, AccountField.PASSWORD, hash));
        });
  }

  /** Lets an account do everything, or not. */
  public CompletableFuture<List<String>> setSuperuser(String name, boolean superuser) {
    return set(name, AccountField.SUPERUSER, superuser);
  }

  /** Locks a user out, or lets it in again. */
  public CompletableFuture<List<String>> setLocked(String name, boolean locked) {
    return change(
        now -> {
          now.requireUser(name);
          return List.of(now.fact(name, AccountField.LOCKED, locked ? AccountField.YES : ""));
        });
  }

  /** Makes an account a member of a role, or takes it out. */
  public CompletableFuture<List<String>> setMember(String name, String role, boolean member) {
    return change(
        now -> {
          now.require(name);
          if (member) {
            now.requireRole(role);
            requireNoCircle(now.facts(), name, role);
          }
          String value = member ? AccountField.YES : "";
          return List.of(now.fact(name, AccountField.memberOf(role), value));
        });
  }

  /**
   * The facts that a backup has: all about accounts, those included that hold no more, so that they
   * do not come back; not the key of tokens, which is the running cluster's secret.
   */
  public List<AccountFact> kept() {
    List<AccountFact> known;
    synchronized (this) {
      known = facts.all();
    }
    return known.stream().filter(fact -> !fact.account().equals(CLUSTER)).toList();
  }

  /**
   * Brings facts of a backup back: those stand that are later than what is known about their
   * fields.
   *
   * @throws AccountException if one of them cannot be, or if no administrator would be left
   */
  public CompletableFuture<List<String>> restore(List<AccountFact> backup) {
    long latest = latestVersion();
    for (AccountFact fact : backup) {
      requireName(fact.account());
      if (!AccountField.isKnown(fact.field()) || fact.field().length() > AccountCodec.FIELD_MAX) {
        throw new AccountException(
            AccountException.Kind.INVALID,
            "an account has no such field: " + fact + "; is the snapshot of a later release?");
      }
      if (fact.version() < 1 || fact.version() > latest) {
        throw new AccountException(
            AccountException.Kind.INVALID,
            fact + " is not from between 1970 and a day after the time of this node");
      }
      if (fact.value().length > AccountCodec.VALUE_MAX) {
        throw new AccountException(
            AccountException.Kind.INVALID, fact + " has a value of more than 1024 bytes");
      }
    }
    return change(
        now -> {
          AccountFacts merged = now.facts().copy();
          return backup.stream().filter(merged::put).toList();
        });
  }

  private static void requireNoCircle(AccountFacts facts, String name, String role) {
    if (reaches(AccessPolicy.of(facts), role, name, new HashSet<>())) {
      throw new AccountException(
          AccountException.Kind.INVALID,
          "the role " + role + " is a member of " + name + " already; roles cannot form a circle");
    }
  }

  private static boolean reaches(AccessPolicy policy, String from, String to, Set<String> seen) {
    if (from.equals(to)) {
      return true;
    }
    return seen.add(from)
        && policy
            .account(from)
            .map(account -> account.roles().stream().anyMatch(r -> reaches(policy, r, to, seen)))
            .orElse(false);
  }

  /** Grants a permission, or revokes it. What is granted need not exist yet. */
  public CompletableFuture<List<String>> setGrant(String name, Grant grant, boolean granted) {
    return change(
        now -> {
          now.require(name);
          requireGrantable(grant);
          String value = granted ? AccountField.YES : "";
          return List.of(
              now.fact(name, AccountField.grant(grant.permission(), grant.resource()), value));
        });
  }

  private static void requireGrantable(Grant grant) {
    Resource on = grant.resource();
    if (grant.permission().isClusterOnly() && !on.isCluster()) {
      throw new AccountException(
          AccountException.Kind.INVALID,
          grant.permission() + " is granted on the whole cluster, not on a keyspace");
    }
    if (!KEYSPACE.matcher(on.keyspace()).matches() || !FAMILY.matcher(on.family()).matches()) {
      throw new AccountException(
          AccountException.Kind.INVALID, "no keyspace or column family can have this name");
    }
  }

  private CompletableFuture<List<String>> set(String name, String field, boolean yes) {
    return change(
        now -> {
          now.require(name);
          return List.of(now.fact(name, field, yes ? AccountField.YES : ""));
        });
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new AccountException(
          AccountException.Kind.INVALID,
          "the name of an account has 1 to 128 letters, digits, and . _ @ -, and begins with a"
              + " letter or a digit");
    }
  }

  /** What a change is made from: the facts before it, and the version of those that it states. */
  private record Now(AccountFacts facts, long version) {

    AccountFact fact(String account, String field, String value) {
      return Accounts.fact(account, field, version, value);
    }

    void require(String name) {
      if (!facts.exists(name)) {
        throw new AccountException(
            AccountException.Kind.NOT_FOUND, "there is no account of that name");
      }
    }

    private void requireKind(String name, String kind) {
      require(name);
      AccountFact fact = facts.find(name, AccountField.KIND);
      if (fact == null || !fact.text().equals(kind)) {
        throw new AccountException(AccountException.Kind.INVALID, name + " is not a " + kind);
      }
    }

    void requireUser(String name) {
      requireKind(name, AccountField.USER);
    }

    void requireRole(String name) {
      requireKind(name, AccountField.ROLE);
    }
  }

  private CompletableFuture<List<String>> change(Function<Now, List<AccountFact>> statement) {
    List<AccountFact> stated;
    synchronized (this) {
      long version = Math.max(clock.wallMicros(), facts.newest() + 1);
      stated = new ArrayList<>(statement.apply(new Now(facts, version)));
      AccountFacts changed = facts.copy();
      stated.forEach(changed::put);
      if (changed.size() > FACTS_MAX && stated.stream().anyMatch(Accounts::gives)) {
        throw new AccountException(
            AccountException.Kind.TOO_MANY,
            "the cluster has as many accounts and grants as it keeps, "
                + FACTS_MAX
                + "; grant to roles instead of to each user");
      }
      AccessPolicy after = AccessPolicy.of(changed);
      if (takesTheLast(after, stated)) {
        throw new AccountException(
            AccountException.Kind.LAST_ADMINISTRATOR,
            "no user would be left that may do everything; make another one a superuser first");
      }
      List<String> remaining = after.administrators();
      if (!remaining.containsAll(policy.administrators())) {
        // Another node may take administration from the remaining ones at this moment.
        AccountFact relied =
            fact(remaining.get(0), AccountField.RELIED_ON, version, AccountField.YES);
        stated.add(relied);
        boolean unused = changed.put(relied);
      }
      publish(changed, after);
    }
    List<AccountFact> told = List.copyOf(stated);
    return told.isEmpty()
        ? CompletableFuture.completedFuture(List.of())
        : storage.save(told).thenCompose(saved -> spread.apply(told));
  }

  /** Whether no administrator would be left, other than one that is kept for that reason. */
  private boolean takesTheLast(AccessPolicy after, List<AccountFact> stated) {
    Optional<String> kept = policy.kept();
    if (kept.isEmpty()) {
      boolean none = after.administrators().isEmpty() || after.kept().isPresent();
      return none && !policy.administrators().isEmpty();
    }
    return after.kept().isPresent()
        && stated.stream().anyMatch(fact -> fact.account().equals(kept.get()) && !gives(fact));
  }

  /**
   * Whether a fact gives someone something; what takes it away is stated however many there are.
   */
  private static boolean gives(AccountFact fact) {
    return !fact.isRemoved()
        && !fact.field().equals(AccountField.DROPPED)
        && !fact.field().equals(AccountField.LOCKED);
  }

  /**
   * Merges what another node knows; completes when it is saved. Facts from further in the future
   * than clocks differ are left out: nothing could be stated after the last version that there is.
   */
  CompletableFuture<Void> merge(List<AccountFact> others) {
    List<AccountFact> later = new ArrayList<>();
    AccountFact ahead = null;
    long latest = latestVersion();
    synchronized (this) {
      AccountFacts changed = facts.copy();
      for (AccountFact fact : others) {
        if (fact.version() > latest) {
          ahead = fact;
        } else if (changed.put(fact)) {
          later.add(fact);
        }
      }
      if (!later.isEmpty()) {
        publish(changed, AccessPolicy.of(changed));
      }
    }
    if (ahead != null) {
      LOG.warn(
          "another node states {}, which is more than a day ahead of this node's clock, and is not"
              + " taken: correct the clock of the node where it was stated",
          ahead);
    }
    return later.isEmpty() ? CompletableFuture.completedFuture(null) : storage.save(later);
  }

  private long latestVersion() {
    return clock.wallMicros() + AHEAD_MAX.toNanos() / 1_000;
  }

  private void publish(AccountFacts changed, AccessPolicy after) {
    facts = changed;
    tokenKey = tokenKeyOf(changed);
    if (after.kept().isPresent() && !after.kept().equals(policy.kept())) {
      LOG.warn(
          "several nodes took administration from different users at the same moment, and none is"
              + " left: {} remains a superuser until there is another one",
          after.kept().get());
    }
    policy = after;
  }

  private static byte @Nullable [] tokenKeyOf(AccountFacts facts) {
    AccountFact fact = facts.find(CLUSTER, TOKEN_KEY);
    return fact == null ? null : fact.value();
  }
}
