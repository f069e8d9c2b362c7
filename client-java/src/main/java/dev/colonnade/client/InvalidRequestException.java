package dev.colonnade.client;

import java.util.List;

/** The request breaks a rule, and nothing of it was applied. */
public final class InvalidRequestException extends ColonnadeException {

  private static final long serialVersionUID = 1L;

  private final transient List<FieldViolation> fieldViolations;

  InvalidRequestException(Failure failure, List<FieldViolation> fieldViolations) {
    super(failure);
    this.fieldViolations = fieldViolations;
  }

  /** Which fields break which rules; empty when the node named none. */
  public List<FieldViolation> fieldViolations() {
    return fieldViolations == null ? List.of() : fieldViolations;
  }

  /**
   * One field at fault.
   *
   * @param field its path from the request, as {@code rows[2].mutations[0].deletion}
   * @param description the rule that it breaks
   */
  public record FieldViolation(String field, String description) {}
}
