package dev.colonnade.server.service.accounts;

/** Why a change of accounts is refused; nothing was changed. */
public final class AccountException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of refusals. */
  public enum Kind {
    /** The request itself cannot be right. */
    INVALID,
    /** There is no such account. */
    NOT_FOUND,
    /** There is one already. */
    EXISTS,
    /** No administrator would be left. */
    LAST_ADMINISTRATOR,
    /** There are as many accounts, or grants, as a node keeps. */
    TOO_MANY
  }

  private final Kind kind;

  AccountException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** What kind of refusal it is. */
  public Kind kind() {
    return kind;
  }
}
