package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Listing.Column;
import dev.colonnade.client.Account;
import dev.colonnade.client.Grant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Accounts and their permissions as they are shown. */
final class AccountListings {

  private static final String EVERYTHING = "everything";

  private final Map<String, Account> accounts = new LinkedHashMap<>();

  /**
   * Of these accounts.
   *
   * @param all of the cluster, by name
   */
  AccountListings(List<Account> all) {
    all.forEach(account -> accounts.put(account.name(), account));
  }

  /** Users; of a role, those that are its members, also through other roles. */
  Listing users(Optional<String> of) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Account account : accounts.values()) {
      if (!account.user() || (of.isPresent() && !rolesOf(account.name()).contains(of.get()))) {
        continue;
      }
      String roles = String.join(", ", account.roles());
      lines.add(List.of(account.name(), yes(account.superuser()), yes(account.locked()), roles));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("name", account.name());
      item.put("superuser", account.superuser());
      item.put("locked", account.locked());
      item.put("roles", account.roles());
      items.add(item);
    }
    return new Listing(
        "user",
        "users",
        List.of(
            Column.words("User"),
            Column.words("Superuser"),
            Column.words("Locked"),
            Column.words("Roles")),
        lines,
        items,
        "There are no users.");
  }

  /** Roles; of an account, those that it is a member of, also through other roles. */
  Listing roles(Optional<String> of) {
    Set<String> wanted = of.map(this::rolesOf).orElse(accounts.keySet());
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Account account : accounts.values()) {
      if (account.user() || !wanted.contains(account.name())) {
        continue;
      }
      List<String> members =
          accounts.values().stream()
              .filter(each -> each.roles().contains(account.name()))
              .map(Account::name)
              .toList();
      lines.add(
          List.of(account.name(), String.join(", ", account.roles()), String.join(", ", members)));
      Map<String, Object> item = new LinkedHashMap<>();
      item.put("name", account.name());
      item.put("superuser", account.superuser());
      item.put("roles", account.roles());
      item.put("members", members);
      items.add(item);
    }
    return new Listing(
        "role",
        "roles",
        List.of(Column.words("Role"), Column.words("Is member of"), Column.words("Members")),
        lines,
        items,
        "There are no roles.");
  }

  /** What was granted; of an account, with what it has through its roles. */
  Listing permissions(Optional<String> of) {
    List<List<String>> lines = new ArrayList<>();
    List<Map<String, Object>> items = new ArrayList<>();
    for (Account account : accounts.values()) {
      if (of.isPresent() && !of.get().equals(account.name())) {
        continue;
      }
      add(account, account, lines, items);
      if (of.isPresent()) {
        for (String role : rolesOf(account.name())) {
          Account from = accounts.get(role);
          if (from != null) {
            add(account, from, lines, items);
          }
        }
      }
    }
    return new Listing(
        "permission",
        "permissions",
        List.of(
            Column.words("Account"),
            Column.words("Permission"),
            Column.words("On"),
            Column.words("By role")),
        lines,
        items,
        "Nothing is granted.");
  }

  private static void add(
      Account to, Account from, List<List<String>> lines, List<Map<String, Object>> items) {
    String role = from.name().equals(to.name()) ? "" : from.name();
    if (from.superuser()) {
      lines.add(List.of(to.name(), EVERYTHING, resource("", ""), role));
      items.add(item(to.name(), "ALL", "", "", role));
    }
    for (Grant grant : from.grants()) {
      String permission = grant.permission().name();
      lines.add(List.of(to.name(), permission, resource(grant.keyspace(), grant.family()), role));
      items.add(item(to.name(), permission, grant.keyspace(), grant.family(), role));
    }
  }

  private static Map<String, Object> item(
      String account, String permission, String keyspace, String family, String role) {
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("account", account);
    item.put("permission", permission);
    item.put("keyspace", keyspace);
    item.put("column_family", family);
    item.put("role", role);
    return item;
  }

  /** All roles of an account, also through other roles. */
  private Set<String> rolesOf(String name) {
    Set<String> found = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(name));
    while (!open.isEmpty()) {
      Account account = accounts.get(open.remove());
      for (String role : account == null ? List.<String>of() : account.roles()) {
        if (found.add(role)) {
          open.add(role);
        }
      }
    }
    return found;
  }

  /** An account's own permissions, one after the other. */
  static List<String> permissions(Account account) {
    return account.grants().stream()
        .map(grant -> grant.permission() + " on " + resource(grant.keyspace(), grant.family()))
        .toList();
  }

  /** What a permission is granted on, as a statement has it. */
  static String resource(String keyspace, String family) {
    if (keyspace.isEmpty()) {
      return "cluster";
    }
    return family.isEmpty() ? "keyspace " + keyspace : "column family " + keyspace + "." + family;
  }

  private static String yes(boolean is) {
    return is ? "yes" : "";
  }
}
