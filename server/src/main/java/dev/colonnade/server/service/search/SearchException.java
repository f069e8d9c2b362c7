package dev.colonnade.server.service.search;

/**
 * A document or a query is refused for its content: nothing was applied. The message is for the
 * caller. Has no stack trace, because it is an answer and not a fault.
 */
public final class SearchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String field;
  private final boolean tooLarge;

  private SearchException(String field, String message, boolean tooLarge) {
    super(message, null, false, false);
    this.field = field;
    this.tooLarge = tooLarge;
  }

  /** A field breaks a rule. */
  static SearchException invalid(String field, String message) {
    return new SearchException(field, message, false);
  }

  /** A field, or what follows from it, is above a limit. */
  static SearchException tooLarge(String field, String message) {
    return new SearchException(field, message, true);
  }

  /** The path of the field in the request. */
  public String field() {
    return field;
  }

  /** Whether a limit is exceeded, and not a rule broken. */
  public boolean isTooLarge() {
    return tooLarge;
  }
}
