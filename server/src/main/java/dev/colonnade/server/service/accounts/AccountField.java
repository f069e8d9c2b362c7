package dev.colonnade.server.service.accounts;

import java.util.Optional;

/** The fields of an account. Their names are columns of {@code system.Accounts}: do not change. */
final class AccountField {

  /** {@link #USER} or {@link #ROLE}: the account exists since then. */
  static final String KIND = "kind";

  static final String USER = "user";
  static final String ROLE = "role";

  /** The account was dropped then; all facts up to then are void. */
  static final String DROPPED = "dropped";

  /** The hash of the password. */
  static final String PASSWORD = "password";

  /** Whether it may do everything. */
  static final String SUPERUSER = "superuser";

  /** Whether it may log in no more. */
  static final String LOCKED = "locked";

  /**
   * Another administrator ceased to be one then, and this account was relied on to remain one.
   * Holds through a drop.
   */
  static final String RELIED_ON = "relied_on";

  /** The value of a field that is a yes. */
  static final String YES = "yes";

  private static final String MEMBER = "member/";
  private static final String GRANT = "grant/";

  private AccountField() {}

  /** Whether this version knows such a field. */
  static boolean isKnown(String field) {
    return switch (field) {
      case KIND, DROPPED, PASSWORD, SUPERUSER, LOCKED -> true;
      default -> role(field).isPresent() || grant(field).isPresent();
    };
  }

  /** The account is a member of that role. */
  static String memberOf(String role) {
    return MEMBER + role;
  }

  /** The role that a field is about. */
  static Optional<String> role(String field) {
    return field.startsWith(MEMBER)
        ? Optional.of(field.substring(MEMBER.length()))
        : Optional.empty();
  }

  /** The account has that permission. */
  static String grant(Permission permission, Resource resource) {
    return GRANT + permission.name() + "/" + resource;
  }

  /** The grant that a field is about; empty for another field, or a grant of a later version. */
  static Optional<Grant> grant(String field) {
    if (!field.startsWith(GRANT)) {
      return Optional.empty();
    }
    int slash = field.indexOf('/', GRANT.length());
    if (slash < 0) {
      return Optional.empty();
    }
    Optional<Resource> resource = Resource.parse(field.substring(slash + 1));
    return Permission.named(field.substring(GRANT.length(), slash))
        .flatMap(permission -> resource.map(on -> new Grant(permission, on)));
  }
}
