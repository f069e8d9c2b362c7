package dev.colonnade.server.service.accounts;

import java.util.List;

/**
 * An account as it is shown: everything but its password.
 *
 * @param user whether it can log in; a role cannot, it holds permissions for its members
 * @param superuser whether it may do everything
 * @param locked whether it may log in no more
 * @param roles the roles that it is a member of, by name
 * @param grants its own permissions, without those of its roles
 */
public record Account(
    String name,
    boolean user,
    boolean superuser,
    boolean locked,
    List<String> roles,
    List<Grant> grants) {
  /** Keeps the lists as they are now. */
  public Account {
    roles = List.copyOf(roles);
    grants = List.copyOf(grants);
  }
}
