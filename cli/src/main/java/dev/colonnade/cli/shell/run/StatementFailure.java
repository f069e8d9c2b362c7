package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Problem;
import org.jspecify.annotations.Nullable;

/** A statement did not do what it says. The message is one line: what happened, and what to do. */
public final class StatementFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final ExitStatus status;
  private final String reason;
  private final String where;

  private StatementFailure(
      ExitStatus status, String reason, String where, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.reason = reason;
    this.where = where;
  }

  /** Of a request that the shell itself refuses. */
  static StatementFailure refused(String message) {
    return of(ExitStatus.STATEMENT_FAILED, "REFUSED", message, null);
  }

  /**
   * Of any kind.
   *
   * @param reason for programs, in capitals
   */
  public static StatementFailure of(
      ExitStatus status, String reason, String message, @Nullable Throwable cause) {
    return new StatementFailure(status, reason, "", message, cause);
  }

  /** The same, with its place in a script, unless it has one already. */
  StatementFailure at(String place) {
    return where.isEmpty()
        ? new StatementFailure(status, reason, place, String.valueOf(getMessage()), getCause())
        : this;
  }

  /** The same, whose place stands behind the name of the program. */
  public Problem problem(String program) {
    String place = program.isEmpty() || where.isEmpty() ? program + where : program + ": " + where;
    return new Problem(place, String.valueOf(getMessage()), reason, status.code());
  }

  /** What a script ends with when this is its end. */
  public ExitStatus status() {
    return status;
  }

  /** Why, as a word for programs. */
  public String reason() {
    return reason;
  }

  /** Its place in a script, as {@code schema.txt:3}; empty for a statement that was typed. */
  public String where() {
    return where;
  }
}
