package dev.colonnade.server.service.accounts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What each account may do, with the permissions of its roles, as of one moment. A decision is two
 * or three look-ups. What is not granted is denied; a permission on the cluster holds in every
 * keyspace but {@code system}, and one on a keyspace in all its families. Immutable.
 *
 * <p>If two nodes take administration from different administrators at the same moment, none is
 * left by what the facts say. Then the user that was relied on last to remain one is kept as
 * administrator: that it was demoted, locked or dropped takes effect when there is another
 * administrator. This follows from the facts alone, so it is the same on all nodes that know the
 * same facts.
 */
public final class AccessPolicy {

  static final AccessPolicy EMPTY =
      new AccessPolicy(new TreeMap<>(), Map.of(), Map.of(), Optional.empty());

  /** The node's own keyspace, of which nothing is granted but by name. */
  private static final String SYSTEM = "system";

  private final SortedMap<String, Account> accounts;
  private final Map<String, Permissions> permissions;
  private final Map<String, Password> passwords;
  private final Optional<String> kept;

  /**
   * The password of a user.
   *
   * @param hash as {@link PasswordHash} made it
   * @param version when it was set
   */
  record Password(String hash, long version) {
    /** Without the hash. */
    @Override
    public String toString() {
      return "password@" + version;
    }
  }

  /** The permissions of one account, by bits. */
  private static final class Permissions {
    private boolean superuser;
    private int cluster;
    private final Map<String, Integer> keyspaces = new HashMap<>();
    private final Map<String, Map<String, Integer>> families = new HashMap<>();

    void add(Account from) {
      superuser |= from.superuser();
      for (Grant grant : from.grants()) {
        int bit = grant.permission().bit();
        Resource on = grant.resource();
        if (on.isCluster()) {
          cluster |= bit;
        } else if (on.family().isEmpty()) {
          keyspaces.merge(on.keyspace(), bit, (one, other) -> one | other);
        } else {
          families
              .computeIfAbsent(on.keyspace(), name -> new HashMap<>())
              .merge(on.family(), bit, (one, other) -> one | other);
        }
      }
    }

    boolean allow(Permission permission, String keyspace, String family) {
      int bit = permission.bit();
      if (superuser || ((cluster & bit) != 0 && !keyspace.equals(SYSTEM))) {
        return true;
      }
      if (keyspace.isEmpty()) {
        return false;
      }
      if ((keyspaces.getOrDefault(keyspace, 0) & bit) != 0) {
        return true;
      }
      Map<String, Integer> within = family.isEmpty() ? null : families.get(keyspace);
      return within != null && (within.getOrDefault(family, 0) & bit) != 0;
    }

    boolean see(String keyspace) {
      return superuser
          || cluster != 0
          || keyspaces.containsKey(keyspace)
          || families.containsKey(keyspace);
    }
  }

  private AccessPolicy(
      SortedMap<String, Account> accounts,
      Map<String, Permissions> permissions,
      Map<String, Password> passwords,
      Optional<String> kept) {
    this.accounts = accounts;
    this.permissions = permissions;
    this.passwords = passwords;
    this.kept = kept;
  }

  /** What follows from these facts. */
  static AccessPolicy of(AccountFacts facts) {
    AccessPolicy stated = of(facts, Optional.empty());
    if (!stated.administrators().isEmpty()) {
      return stated;
    }
    Optional<String> relied = Optional.ofNullable(facts.reliedOnLast());
    return relied.isEmpty() ? stated : of(facts, relied);
  }

  private static AccessPolicy of(AccountFacts facts, Optional<String> kept) {
    TreeMap<String, Account> accounts = new TreeMap<>();
    Map<String, Password> passwords = new HashMap<>();
    for (String name : facts.names()) {
      accounts.put(name, account(name, facts));
      AccountFact password = facts.find(name, AccountField.PASSWORD);
      if (password != null) {
        passwords.put(name, new Password(password.text(), password.version()));
      }
    }
    if (kept.isPresent()) {
      String name = kept.get();
      Account found = account(name, facts);
      accounts.put(name, new Account(name, true, true, false, found.roles(), found.grants()));
      AccountFact password = facts.passwordInSpiteOfDrop(name);
      if (password != null) {
        passwords.put(name, new Password(password.text(), password.version()));
      }
    }
    Map<String, Permissions> permissions = new HashMap<>();
    for (String name : accounts.keySet()) {
      permissions.put(name, withRoles(name, accounts));
    }
    return new AccessPolicy(accounts, permissions, passwords, kept);
  }

  private static Account account(String name, AccountFacts facts) {
    boolean user = false;
    boolean superuser = false;
    boolean locked = false;
    List<String> roles = new ArrayList<>();
    List<Grant> grants = new ArrayList<>();
    for (AccountFact fact : facts.of(name)) {
      switch (fact.field()) {
        case AccountField.KIND -> user = fact.text().equals(AccountField.USER);
        case AccountField.SUPERUSER -> superuser = true;
        case AccountField.LOCKED -> locked = true;
        default -> {
          AccountField.role(fact.field())
              .filter(role -> isMember(fact, role, facts))
              .ifPresent(roles::add);
          AccountField.grant(fact.field()).ifPresent(grants::add);
        }
      }
    }
    return new Account(name, user, superuser, locked, roles, grants);
  }

  /** A membership ends with its role: who has the name afterwards is another account. */
  private static boolean isMember(AccountFact membership, String role, AccountFacts facts) {
    AccountFact kind = facts.find(role, AccountField.KIND);
    return kind != null
        && kind.text().equals(AccountField.ROLE)
        && facts.isAfterDrop(membership, role);
  }

  /** Follows memberships, which may form a circle when two nodes were told at once. */
  private static Permissions withRoles(String name, Map<String, Account> accounts) {
    Permissions sum = new Permissions();
    Set<String> seen = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(List.of(name));
    while (!next.isEmpty()) {
      String each = next.remove();
      Account account = accounts.get(each);
      if (account != null && seen.add(each)) {
        sum.add(account);
        next.addAll(account.roles());
      }
    }
    return sum;
  }

  /**
   * Whether an account may do something; false for one that does not exist.
   *
   * @param keyspace empty for what concerns the whole cluster
   * @param family empty for what concerns the whole keyspace
   */
  public boolean allows(String account, Permission permission, String keyspace, String family) {
    Permissions held = permissions.get(account);
    return held != null && held.allow(permission, keyspace, family);
  }

  /** Whether an account may know that a keyspace exists: whether it may do anything there. */
  public boolean sees(String account, String keyspace) {
    Permissions held = permissions.get(account);
    return held != null && held.see(keyspace);
  }

  /** Whether an account may do everything. */
  public boolean isSuperuser(String account) {
    Permissions held = permissions.get(account);
    return held != null && held.superuser;
  }

  /** Whether calls may be made as that account: it is a user, and not locked. */
  public boolean mayLogIn(String account) {
    Account found = accounts.get(account);
    return found != null && found.user() && !found.locked();
  }

  /** All accounts, by name. */
  public List<Account> accounts() {
    return List.copyOf(accounts.values());
  }

  /** An account. */
  public Optional<Account> account(String name) {
    return Optional.ofNullable(accounts.get(name));
  }

  @Nullable Password password(String account) {
    return passwords.get(account);
  }

  /**
   * The administrator that was demoted, locked or dropped, and is kept because there would be none;
   * empty if there is one without it.
   */
  Optional<String> kept() {
    return kept;
  }

  /** The users that may do everything and can log in: by their own right, or by that of a role. */
  List<String> administrators() {
    return accounts.values().stream()
        .filter(account -> mayLogIn(account.name()) && isSuperuser(account.name()))
        .map(Account::name)
        .toList();
  }
}
