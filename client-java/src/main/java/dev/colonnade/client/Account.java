package dev.colonnade.client;

import java.util.List;

/**
 * A user or a role, which share one set of names.
 *
 * @param user whether it can log in; a role cannot
 * @param superuser whether it may do everything
 * @param locked whether it may log in no more
 * @param roles that it is a member of, by name; it has their permissions, too
 * @param grants its own permissions, without those of its roles
 */
public record Account(
    String name,
    boolean user,
    boolean superuser,
    boolean locked,
    List<String> roles,
    List<Grant> grants) {

  /** Copies the lists. */
  public Account {
    roles = List.copyOf(roles);
    grants = List.copyOf(grants);
  }

  static Account of(dev.colonnade.admin.v1.Account message) {
    return new Account(
        message.getName(),
        message.getUser(),
        message.getSuperuser(),
        message.getLocked(),
        message.getRolesList(),
        message.getGrantsList().stream().map(Grant::of).toList());
  }
}
